/**
 * A certificate and its key for the model's hosts, in place of real ones: used for nothing else, trusted by no client, and valid from 2020
 * to 2120 so that they are valid at any time of the model's clock.
 */
export const modelCertificate = `-----BEGIN CERTIFICATE-----
MIIBGzCBwwIUfVwoUxnkNBWWrDR8kOx4RFVPTWEwCgYIKoZIzj0EAwIwEDEOMAwG
A1UEAwwFbW9kZWwwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBAx
DjAMBgNVBAMMBW1vZGVsMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKO0129sv
CI8EC3PaSzDsp6B+DuXawtL4LcQdnO8zfCufR5BA/V92aP3QBqKG1iUB/7pwdChq
/fxuH6Mx0PjFsTAKBggqhkjOPQQDAgNHADBEAiBVFKjgLFaYFsgz5OQjiLqX5fkA
qZWZgO6+OhyGqN3DhwIgNYSv02CwCJcdXnTXIvsTF7kMV2Ue2rFVBKmlnuv29j0=
-----END CERTIFICATE-----
`;

export const modelKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+0W9gVl8V/FN13mn
37StK5RYy173DUG0IiozfPmLqMyhRANCAAQo7TXb2y8IjwQLc9pLMOynoH4O5drC
0vgtxB2c7zN8K59HkED9X3Zo/dAGoobWJQH/unB0KGr9/G4fozHQ+MWx
-----END PRIVATE KEY-----
`;
