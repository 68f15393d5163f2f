import { COMMANDS, type CommandName } from '../options/commands.js';
import { EXIT, invalid } from '../options/exit.js';
import { OPTION_BY_NAME, optionNames } from '../options/options.js';
import { parseFlags } from '../options/flags.js';

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/** `runbook completion SHELL`: a script for the shell, made from the commands and options that there are. */
export function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('completion', argv);
  const [shell = ''] = flags.positionals;
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (script === undefined || flags.positionals.length > 1)
    throw invalid(`completion takes one of: ${Object.keys(SHELLS).join(', ')}`);
  process.stdout.write(script());
  return Promise.resolve(EXIT.done);
}

const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];
const optionsOf = (command: CommandName): string =>
  optionNames(command)
    .map((name) => `--${name}`)
    .join(' ');
/** Without what a shell would read. */
const helpOf = (name: string): string => plain(OPTION_BY_NAME.get(name)?.option.help ?? '');
const plain = (text: string): string => text.replaceAll(/['"`$\\[\]:]/g, '');

function bash(): string {
  const cases = COMMAND_NAMES.map((command) => `    ${command}) words="${optionsOf(command)} --help" ;;`);
  return `# bash completion of runbook: put  source <(runbook completion bash)  into ~/.bashrc
_runbook() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${COMMAND_NAMES.join(' ')} --help --version" -- "$word"))
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
  const list = COMMAND_NAMES.map((command) => `    '${command}:${plain(COMMANDS[command].summary)}'`);
  const cases = COMMAND_NAMES.map((command) => {
    const options = optionNames(command).map((name) => `'--${name}[${helpOf(name)}]'`);
    return `    ${command}) _arguments ${[...options, "'*:file:_files'"].join(' ')} ;;`;
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
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _runbook runbook
`;
}

function fish(): string {
  const lines = COMMAND_NAMES.flatMap((command) => [
    `complete -c runbook -n __fish_use_subcommand -f -a ${command} -d '${plain(COMMANDS[command].summary)}'`,
    ...optionNames(command).map(
      (name) => `complete -c runbook -n '__fish_seen_subcommand_from ${command}' -l ${name} -d '${helpOf(name)}'`,
    ),
  ]);
  return `# fish completion of runbook: runbook completion fish > ~/.config/fish/completions/runbook.fish\n${lines.join('\n')}\n`;
}
