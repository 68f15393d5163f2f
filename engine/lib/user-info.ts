const USER_INFO = /(:\/\/)(?:[^\s/"]*|[^\s/":]*:(?!\d*(?:[/?#"]|$))[^\s"]*)@/g;

/** A text whose addresses have no user and no password, for pages and records: `https://[hidden]@example.com/x`. */
export const withoutUserInfo = (text: string): string => text.replace(USER_INFO, '$1[hidden]@');
