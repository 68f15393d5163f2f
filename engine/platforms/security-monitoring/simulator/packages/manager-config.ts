import type { PlatformNames } from '../names.js';
import { isAtLeast } from './release.js';

/** What a cluster node's own configuration adds to the default. */
export interface ManagerNode {
  readonly node: string;
  readonly type: 'master' | 'worker';
  readonly masterAddress: string;
  readonly indexerUrls: readonly string[];
  /** The name of its certificate's files: the platform's installer calls them after the node. */
  readonly certificate: string;
}

/**
 * The default configuration of a release: two roots, `--` inside a comment, bare `&`. With `own`, as an operator set it up.
 * Before 4.8 it has the old detector and no connector; before 4.13 no lists of indicators.
 */
export function managerConfig(names: PlatformNames, version: string, own?: ManagerNode): string {
  const root = names.manager.root;
  return `<!--
  Manager - Default configuration.
  More than one root element is allowed -- each one is read in turn.
-->

<${root}>
  <global>
    <jsonout_output>yes</jsonout_output>
    <alerts_log>yes</alerts_log>
    <email_notification>no</email_notification>
  </global>

  <alerts>
    <log_alert_level>3</log_alert_level>
  </alerts>

  <remote>
    <connection>secure</connection>
    <port>1514</port>
    <protocol>tcp</protocol>
  </remote>
${isAtLeast(version, '4.8') ? connector(own) : OLD_DETECTOR}
  <!-- R&D and operations & security read this host -->
  <localfile>
    <log_format>full_command</log_format>
    <command>df -P && ss -tulpn | sort -k 4 -g</command>
    <alias>ports & filesystems</alias>
    <frequency>360</frequency>
  </localfile>

  <ruleset>
    <!-- Default ruleset -->
    <decoder_dir>ruleset/decoders</decoder_dir>
    <rule_dir>ruleset/rules</rule_dir>
    <rule_exclude>0215-policy_rules.xml</rule_exclude>
    <list>etc/lists/audit-keys</list>
    <list>etc/lists/amazon/aws-eventnames</list>
    <list>etc/lists/security-eventchannel</list>
${isAtLeast(version, '4.13') ? INDICATOR_LISTS : ''}    <!-- User-defined ruleset -->
    <decoder_dir>etc/decoders</decoder_dir>
    <rule_dir>etc/rules</rule_dir>
  </ruleset>
${own === undefined ? '' : ownRules}
  <cluster>
    <name>platform</name>
    <node_name>${own?.node ?? 'node01'}</node_name>
    <node_type>${own?.type ?? 'master'}</node_type>
    <key>c98b6ha9b6169zc5f67rae55ae4z5647</key>
    <nodes>
      <node>${own?.masterAddress ?? 'NODE_IP'}</node>
    </nodes>
    <disabled>${own === undefined ? 'yes' : 'no'}</disabled>
  </cluster>
</${root}>

<${root}>
  <localfile>
    <log_format>syslog</log_format>
    <location>${names.manager.install_dir}/logs/active-responses.log</location>
  </localfile>
</${root}>
`;
}

const connector = (own: ManagerNode | undefined): string => `
  <vulnerability-detection>
    <enabled>yes</enabled>
    <index-status>yes</index-status>
    <feed-update-interval>60m</feed-update-interval>
  </vulnerability-detection>

${connectorElement(own?.indexerUrls ?? ['https://0.0.0.0:9200'], own?.certificate ?? 'filebeat')}`;

/** The element as the packages write it: with names of certificates that are there only where the operator chose these. */
export const connectorElement = (urls: readonly string[], certificate: string): string => `  <indexer>
    <enabled>yes</enabled>
    <hosts>
${urls.map((u) => `      <host>${u}</host>`).join('\n')}
    </hosts>
    <ssl>
      <certificate_authorities>
        <ca>/etc/filebeat/certs/root-ca.pem</ca>
      </certificate_authorities>
      <certificate>/etc/filebeat/certs/${certificate}.pem</certificate>
      <key>/etc/filebeat/certs/${certificate}-key.pem</key>
    </ssl>
  </indexer>
`;

const OLD_DETECTOR = `
  <vulnerability-detector>
    <enabled>yes</enabled>
    <interval>5m</interval>
    <provider name="debian">
      <enabled>no</enabled>
      <os>bookworm</os>
    </provider>
  </vulnerability-detector>
`;

const INDICATOR_LISTS = `    <list>etc/lists/malicious-ioc-md5</list>
    <list>etc/lists/malicious-ioc-sha1</list>
    <list>etc/lists/malicious-ioc-sha256</list>
`;

const ownRules = `
  <!-- ours: ticket 4711 -- keep -->
  <integration>
    <name>chat</name>
    <hook_url>https://hooks.example.com/T0/B0/x?a=1&b=2</hook_url>
    <level>10</level>
  </integration>
`;
