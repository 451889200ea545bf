import { programPath } from '../../process/programs.ts'
import { UsageError, type CliCommand } from '../command.ts'
import { completionScript, shells } from './scripts.ts'
import { completedCommands, type CommandTable } from './words.ts'

export const completionCommand = (table: CommandTable): CliCommand => ({
  usage: `completion (${shells.join(' | ')})`,
  about: 'Print a script that completes commands and options with Tab.',
  more:
    'Add the line of the example to ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish. ' +
    'It also makes `troupe` a command in every folder, where none is installed.',
  arguments: [1, 1],
  examples: [
    'eval "$(troupe completion bash)"',
    'eval "$(troupe completion zsh)"',
    'troupe completion fish | source',
  ],
  async run({ args: [name = ''] }) {
    const shell = shells.find((one) => one === name)
    if (shell === undefined) throw new UsageError(`"${name}" is not one of ${shells.join(', ')}`)
    const program = programPath('troupe')
    const commands = await completedCommands(table)
    process.stdout.write(completionScript(shell, { commands, start: [process.execPath, program] }))
    return 0
  },
})
