import { summaries } from '../options/command-help.js';
import { EXIT, invalid } from '../options/exit.js';
import { COMMANDS, OPTION_HELP, OPTIONS, takes, type OptionName } from '../options/options.js';
import { parseFlags } from '../options/flags.js';

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/** `runbook completion SHELL`: a script for the shell, made from the commands and options that there are. */
export function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('completion', argv);
  if ('mistake' in flags) return Promise.resolve(invalid(flags.mistake));
  const [shell = ''] = flags.positionals;
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (script === undefined || flags.positionals.length > 1)
    return Promise.resolve(invalid(`completion takes one of: ${Object.keys(SHELLS).join(', ')}`));
  process.stdout.write(script());
  return Promise.resolve(EXIT.done);
}

const optionsOf = (verb: string): readonly OptionName[] =>
  (Object.keys(OPTIONS) as OptionName[]).filter((name) => takes(verb, name));
const flagsOf = (verb: string): string =>
  optionsOf(verb)
    .map((name) => `--${name}`)
    .join(' ');
/** The text of `--help` without the flags in front, and without what a shell would read. */
const helpOf = (name: OptionName): string => plain(OPTION_HELP[name].replace(/^\s*(?:-\S+,? )*(?:[A-Z]\S* )*\s*/, ''));
const plain = (text: string): string => text.replaceAll(/['"`$\\[\]:]/g, '');

function bash(): string {
  const cases = COMMANDS.map((verb) => `    ${verb}) words="${flagsOf(verb)} --help" ;;`);
  return `# bash completion of runbook: put  source <(runbook completion bash)  into ~/.bashrc
_runbook() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${COMMANDS.join(' ')} --help --version" -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
    *) words= ;;
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -o bashdefault -F _runbook runbook
`;
}

function zsh(): string {
  const list = COMMANDS.map((verb) => `    '${verb}:${plain(summaries[verb] ?? '')}'`);
  const cases = COMMANDS.map((verb) => {
    const options = optionsOf(verb).map((name) => `'--${name}[${helpOf(name)}]'`);
    return `    ${verb}) _arguments ${[...options, "'*:file:_files'"].join(' ')} ;;`;
  });
  return `#compdef runbook
# zsh completion of runbook: put it into a directory of $fpath as _runbook, or  source <(runbook completion zsh)
_runbook() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
${cases.join('\n')}
  esac
}
compdef _runbook runbook
`;
}

function fish(): string {
  const lines = COMMANDS.flatMap((verb) => [
    `complete -c runbook -n __fish_use_subcommand -f -a ${verb} -d '${plain(summaries[verb] ?? '')}'`,
    ...optionsOf(verb).map(
      (name) => `complete -c runbook -n '__fish_seen_subcommand_from ${verb}' -l ${name} -d '${helpOf(name)}'`,
    ),
  ]);
  return `# fish completion of runbook: runbook completion fish > ~/.config/fish/completions/runbook.fish\n${lines.join('\n')}\n`;
}
