/** Keys that other tools have, and what stands for them here. An author who comes from there writes them first. */
const KEYS: Readonly<Record<string, string>> = {
  // Of a playbook or a play.
  tasks: 'write `steps:`',
  handlers: 'there are none: a service restarts in a step of its own, whose `when` asks whether it must',
  pre_tasks: 'write an earlier play',
  post_tasks: 'write a later play',
  vars_files: 'variables stand under `vars` in the inventory, or come with -e @FILE',
  gather_facts: 'leave it out: facts are read when a step needs them',
  become: 'becoming root is set under `ssh` in the inventory: `become: sudo`',
  become_user:
    'a command runs as another user by `argv: [runuser, -u, USER, --, PROGRAM]`; `ssh.become` in the inventory makes the login user root',
  remote_user: 'write `ssh: { user: … }` in the inventory',
  max_fail_percentage: 'a host that fails stops the run; `on_host_failure: continue` goes on without it',
  strategy: 'write `serial: N`',
  // Of a step.
  name: 'a step is written `step: TITLE`, a play `play: TITLE`',
  notify: 'there are no handlers: restart the service in a later step, with `systemctl`',
  with_items: 'write `loop: […]`; the element is `item`',
  ignore_errors: 'write `severity: warning`: a failure is reported as a warning, and the run continues',
  failed_when: 'write `expect:` in the module, or a step with `check` after it',
  changed_when: 'write `changes: nothing`, or the paths that the command changes',
  delegate_to: 'write a play with these `hosts`',
  args: 'write arguments below the module',
  no_log: 'leave it out: secrets are masked everywhere',
  check_mode: 'leave it out: `runbook plan` changes nothing',
  rescue: 'a failed step stops the run; `temporary` restores what must not stay',
  always: 'nothing runs after a failure but what restores a `temporary` change',
  until: 'write a step with `wait_for: { that: … }` after it',
  delay: 'leave it out: `retries` pauses 10s before each, and `wait_for` reads again every 2s',
  // Of earlier versions.
  unless_all: 'write `when`: the play is skipped where it is false',
  on_failure:
    'a temporary change is restored on a failure; `no_restore_after: ID` names the step from which on it is not',
  on: 'write a play with these `hosts`',
  fresh_since: 'write `restart_if_newer: [PACKAGE, /PATH]`',
  assert: 'write `check: { that: …, message: …, hint: … }`; beside it `severity: warning`, where it only warns',
  wait: 'write `wait_for: { that: …, fail_if: …, message: …, hint: … }`; beside it `timeout`',
  warn_after: 'remove it: a wait warns after a minute, or after a tenth of its `timeout`',
  best_effort: 'remove it; `on_host_failure: continue` of the play has this effect',
  closing: 'remove it: a play runs unless its own `when` is false',
  params: 'write `vars`, with the default values',
  with: 'write `vars`',
  finding: 'write `remedy` and `evidence` beside the module',
  undo: 'remove it; `point_of_no_return` of a play says what cannot be taken back',
  // Modules.
  shell: 'use `command: { argv: [sh, -c, "…"], changes: […], timeout: 1m }`',
  raw: 'use `command`',
  script: 'use `command`',
  systemd: 'use `systemctl`',
  service: 'use `systemctl`',
  copy: 'use `file: { path: …, content: … }`',
  template: 'use `file: { path: …, content: … }`: a text may hold {{names}}',
  lineinfile: 'use `file-edit`',
  blockinfile: 'use `file-edit`',
  replace: 'use `file-edit`',
  ini_file: 'use `file-edit`',
  xml: 'use `xml-merge`',
  uri: 'use `http`',
  get_url: 'use `download`',
  unarchive: 'use `archive`',
  apt: 'use `package`',
  yum: 'use `package`',
  dnf: 'use `package`',
  apt_repository: 'use `package-repository`',
  yum_repository: 'use `package-repository`',
  dpkg_selections: 'use `package-hold`',
  pause: 'use `confirm`, or `wait_for: { that: … }`',
  fail: 'write `check: { that: false, message: … }`',
  set_fact: 'use `record` with `register`',
  debug: 'use `warn: { message: … }`, or `record`',
  include_tasks: 'write `import:` in a play',
  import_tasks: 'write `import:` in a play',
  import_playbook: 'write `import:`',
};

/** What to write instead of a key of another tool; undefined for any other key. */
export function foreignKey(key: string): string | undefined {
  const short = key.split('.').at(-1) ?? key;
  return Object.hasOwn(KEYS, short) ? KEYS[short] : undefined;
}

/** Keys of checks and waits of earlier versions. */
const OF_CHECKS: Readonly<Record<string, string>> = {
  until: 'write `that`',
  stop_when: 'write `fail_if`',
  otherwise: 'write `severity: warning` beside `check`, not inside',
  readings: 'remove it: `fail_if` must hold in 10 readings in a row',
  every: 'remove it: the values are read again every 2s',
  warn: 'remove it: a wait that takes long warns with its message',
};

/** What to write instead of a key of a check; undefined for any other key. */
export const oldCheckKey = (key: string): string | undefined =>
  Object.hasOwn(OF_CHECKS, key) ? OF_CHECKS[key] : undefined;
