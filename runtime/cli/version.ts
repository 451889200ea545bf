import { version } from '../lib/package.ts'
import type { CliCommand } from './command.ts'

export const versionCommand: CliCommand = {
  usage: 'version',
  about: 'Show the version of Troupe.',
  async run() {
    console.log(version)
    return 0
  },
}
