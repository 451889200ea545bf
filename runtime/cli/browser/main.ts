#!/usr/bin/env node
/**
 * `troupe browser` alone, in one file: what the package `troupe-browser` installs, and what `troupe`
 * runs for this command, because a program of many files starts more slowly.
 */
import { nodeRefusal } from '../terminal/node-version.ts'
import { fail, runProgram } from '../terminal/run-program.ts'
import { meant, reportMisuse, runCommand, type HelpOf } from '../terminal/run-command.ts'
import { browserCommandGroup } from './browser.ts'
import { helpText } from '../help-text.ts'

/** No verb uses a setting. */
const helpOf: HelpOf = async (name, found) => helpText(name, found, () => [])

async function main([first, ...rest]: readonly string[]): Promise<number> {
  const refusal = nodeRefusal()
  if (refusal !== undefined) return fail(refusal)
  if (first === 'browser') return await runCommand('browser', browserCommandGroup, rest, helpOf)
  if (first === 'version' || first === '--version' || first === '-v') {
    const { version } = await import('../../lib/package.ts')
    console.log(version)
    return 0
  }
  if (first === undefined || ['help', '--help', '-h'].includes(first)) {
    await runCommand('browser', browserCommandGroup, ['--help'], helpOf)
    return first === undefined ? 2 : 0
  }
  return reportMisuse(
    `this package has the command browser alone, not "${first}"${meant(first, { browser: 0 })}`,
    'browser',
  )
}

runProgram(() => main(process.argv.slice(2)), false)
