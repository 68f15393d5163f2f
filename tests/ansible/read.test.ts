import { describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hostMistakes } from '../../engine/ansible/host-mistakes.js';
import { readAnsible, type AnsibleHost } from '../../engine/ansible/read.js';

const golden = path.join(import.meta.dirname, 'golden');

const hostsOf = async (file: string, cwd: string): Promise<readonly AnsibleHost[]> => {
  const read = await readAnsible(file, cwd);
  if (!read.ok) throw new Error(JSON.stringify(read.mistakes));
  return read.hosts
    .map((host) => ({ ...host, groups: host.groups.toSorted() }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/** The JSON was written once by `ansible-inventory --list` of ansible-core 2.19 from the inventory beside it. */
describe('what Ansible itself makes of an inventory', () => {
  test.each(['ini/hosts', 'yaml/inventory.yml'])('%s', async (file) => {
    const own = await hostsOf(file, golden);
    expect(own).toEqual(await hostsOf(`${path.dirname(file)}.json`, golden));
    expect(own.length).toBeGreaterThan(6);
  });

  test('ports, users, jumps and templates of one inventory', async () => {
    const hosts = new Map((await hostsOf('ini/hosts', golden)).map((host) => [host.name, host]));
    expect(hosts.get('indexer-02.example.com')).toMatchObject({
      port: 2299,
      user: 'from_group_file',
      jump: ['jump@gate:2200'],
      become: true,
    });
    expect(hosts.get('dashboard-1')).toMatchObject({
      address: '10.0.0.31',
      hasBecomePassword: true,
      groups: ['central', 'dash'],
    });
    expect(hosts.get('server-2')?.jump).toEqual(['ops@bastion:2022']);
    expect(hosts.get('server-1')).toMatchObject({ port: 1, user: 'root' });
  });
});

/** What is reported of files that cannot be read as a whole. */
async function mistakes(files: Readonly<Record<string, string>>, name = Object.keys(files)[0] ?? ''): Promise<string> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'runbook-ansible-'));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true });
    writeFileSync(path.join(cwd, file), text);
  }
  const read = await readAnsible(name, cwd);
  if (read.ok && read.hosts.every((host) => host.mistakes.length === 0)) return read.notes.join('\n');
  return (read.ok ? hostMistakes(name, read.hosts) : read.mistakes).map((m) => `${m.at}  ${m.message}`).join('\n');
}

describe('an inventory that cannot be used', () => {
  test.each([
    ['a vault', { hosts: '$ANSIBLE_VAULT;1.1;AES256\n6162\n' }, 'hosts  is encrypted with Ansible Vault'],
    [
      'a program',
      { 'hosts.py': '#!/usr/bin/env python3\nprint()\n' },
      'hosts.py  is a program that makes an inventory',
    ],
    [
      'a plug-in',
      { 'aws_ec2.yml': 'plugin: amazon.aws.aws_ec2\nregions: [eu-central-1]\n' },
      'aws_ec2.yml  configures the dynamic inventory plug-in "amazon.aws.aws_ec2"',
    ],
    ['nothing', { hosts: '# none\n' }, 'hosts  has no hosts'],
    [
      'a range',
      { hosts: '[a]\nweb[01:3]\nw[c:a]\nv[1:x]\n' },
      'hosts:2  range [01:3]: "01" and "3" differ in length\nhosts:3  range [c:a]: "c" comes after "a"\nhosts:4  range [1:x]: it must have two numbers or two letters',
    ],
    [
      'a section',
      { hosts: '[a:host]\nx\n[b]\ny k\n[c:vars]\nz=1\n[d]\nw k="1\n[b:children]\nnone\n' },
      'hosts:1  "[a:host]" is not a section\nhosts:4  "k" is not key=value\nhosts:8  a quotation is not closed\nhosts:5  undefined group "c"\nhosts:10  undefined group "none"',
    ],
    ['a section without its closing bracket', { hosts: '[a]\nx\n[b\ny\n' }, 'hosts:3  "[b" has no closing bracket'],
    ['YAML', { 'h.yml': 'all:\n  hosts: [a\n' }, 'h.yml:3  what begins with [ or { is not closed before this line'],
    [
      'two keys on a line',
      { 'h.yml': 'all:\n  hosts:\n    w1: ansible_host: 10.0.0.1\n' },
      'h.yml:3  has a second "key:" on this line, or a text with a colon: start a new line after the first "key:", or quote the text',
    ],
    [
      'an encrypted address',
      {
        'h.yml':
          'all:\n  hosts: { a: , b: }\n  vars:\n    ansible_host: !vault |\n      $ANSIBLE_VAULT;1.1;AES256\n      61\n',
      },
      'h.yml  host a: ansible_host is encrypted with Ansible Vault (and 1 more host)',
    ],
    [
      'a template',
      { hosts: 'a ansible_host=\'{{ lookup("env", "A") }}\'\n' },
      'hosts  host a: ansible_host "{{ lookup("env", "A") }}" is a template that only Ansible evaluates',
    ],
    ['an unquoted template', { hosts: 'b ansible_port={{ none }}\n' }, 'hosts:1  "none" is not key=value'],
    [
      'another connection',
      { hosts: 'w ansible_connection=winrm\nx ansible_ssh_common_args="-o ProxyCommand=\'nc -x proxy %h %p\'"' },
      'hosts  host w: ansible_connection: "winrm" is not supported; only ssh and local are\nhosts  host x: ansible_ssh_common_args: ProxyCommand "nc -x proxy %h %p" is not supported',
    ],
    [
      'what is no address',
      {
        'h.yml':
          'all:\n  hosts: { "dash<script>": , a: { ansible_host: "10.0.0.1; id" }, b: { ansible_host: "fe80::1" } }\n',
      },
      'h.yml  host dash<script>: its name is no DNS name or IP address, and it has no ansible_host\nh.yml  host a: ansible_host: "10.0.0.1; id" is no DNS name or IP address',
    ],
  ])('%s', async (_name, files, expected) => {
    expect(await mistakes(files)).toBe(expected);
  });

  test('encrypted passwords and files of variables do not stop it', async () => {
    const files = {
      hosts: '[a]\nh ansible_host=10.0.0.1\n',
      'group_vars/a/vault.yml': '$ANSIBLE_VAULT;1.1;AES256\n61\n',
      'host_vars/h.yml': 'ansible_password: !vault |\n  $ANSIBLE_VAULT;1.1\n  61\n',
    };
    expect(await mistakes(files)).toContain('group_vars/a/vault.yml is encrypted with Ansible Vault and was not read');
  });

  test('a group that contains itself ends', async () => {
    expect(await mistakes({ hosts: '[a]\nh\n[a:children]\nb\n[b:children]\na\n' })).toBe('');
  });
});
