import { version } from '../package.ts'
import type { Command } from './command.ts'

export const versionCommand: Command = {
  usage: 'version',
  about: 'Show the version of Troupe.',
  async run() {
    console.log(version)
    return 0
  },
}
