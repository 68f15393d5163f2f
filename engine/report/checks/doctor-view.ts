import { count } from '../../lib/count.js';
import { isWhole, type DoctorItem, type DoctorReport, type NotChecked } from './doctor-report.js';
import { hostsText } from '../model-mark.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { indent, printable, printableLine, styleFor, type Paint, type Style, type Terminal } from '../style.js';

/** The page of `runbook doctor`: problems first, each with its fix, then warnings, then what is right. */
export function doctorView(report: DoctorReport, terminal: Terminal, verbose: boolean): string {
  const style = styleFor(terminal);
  const { problems, warnings, notChecked, groups } = report;
  const part = (title: string, items: readonly DoctorItem[], paint: Paint): readonly string[] =>
    items.length === 0 ? [] : ['', paint(title), ...items.flatMap((item, i) => itemLines(item, i + 1, terminal))];
  const right = groups.map(({ name, passed, hosts }) => {
    const on = hosts.length === 0 ? '' : ` on ${count(hosts.length, 'host')}`;
    return `${style.green('✓')} ${name.padEnd(26)} ${verbose ? passed.join(' · ') : `${count(passed.length, 'check')} passed${on}`}`;
  });
  return [
    `${style.bold(printableLine(report.title))}   ${hostsText(report)}`,
    ...part('PROBLEMS', problems, style.red),
    ...part('WARNINGS', warnings, style.yellow),
    ...(notChecked.length === 0
      ? []
      : ['', style.yellow('NOT CHECKED'), ...notChecked.flatMap(notCheckedLines(style))]),
    ...(right.length === 0 ? [] : ['', ...right]),
    '',
    lastLine(report),
  ].join('\n');
}

function itemLines(
  { check, hosts, text, evidence, fix }: DoctorItem,
  number: number,
  terminal: Terminal,
): readonly string[] {
  const style = styleFor(terminal);
  const where = hosts.length === 0 ? '' : `${style.bold(nameHosts(hosts))}  `;
  return [
    `${String(number).padStart(3)}  ${where}${printableLine(text)}`,
    `     ${style.dim(printableLine(check))}`,
    ...evidence.map((piece) => style.dim(indent(printable(piece), 7))),
    ...(fix === undefined ? [] : [`     ${style.cyan(`→ ${printableLine(fix)}`)}`]),
  ];
}

const notCheckedLines =
  (style: Style) =>
  ({ checks, hosts, because = 'there is no access to the host' }: NotChecked): readonly string[] => [
    `     ${hosts.length === 0 ? '' : `${style.bold(nameHosts(hosts))}  `}${printableLine(because)}`,
    ...(checks.length === 0 ? [] : [`     ${style.dim(printableLine(checks.join(', ')))}`]),
  ];

function lastLine(report: DoctorReport): string {
  const { problems, warnings } = report;
  const also = [
    ...(warnings.length === 0 ? [] : [`, ${count(warnings.length, 'warning')}`]),
    ...(isWhole(report) ? [] : [', not everything was checked']),
  ].join('');
  return problems.length === 0
    ? `No problems found${also}. Nothing was changed.`
    : `${count(problems.length, 'problem')}${also}. Nothing was changed.`;
}
