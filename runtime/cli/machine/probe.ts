/** Detects installed programs and their versions by running them. */
import type { Isolation } from '../../browser-host/isolation/isolation.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Config } from '../../config/config.ts'
import { programPath } from '../../process/programs.ts'
import { StderrTail } from '../../process/supervisor/stderr-tail.ts'
import { CommandFailed } from '../command.ts'
import { cliLimits } from '../limits.ts'

const run = promisify(execFile)

/** The program's output, from stdout or stderr. Rejects if it does not run or fails. */
export async function programOutput(bin: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(bin, args, { timeout: cliLimits.probeMs })
  return `${stdout}${stderr}`.trim()
}

/** For example `156.0.6999.12`. */
export async function chromiumVersion(bin: string): Promise<string> {
  const text = await programOutput(bin, ['--version']).catch((error: Error) => {
    const message =
      `CHROMIUM_BIN=${JSON.stringify(bin)} does not run: apt-get install chromium, ` +
      'or name another Chromium or Chrome.'
    throw new CommandFailed(message, error)
  })
  return /\d+(\.\d+)+/.exec(text)?.[0] ?? text
}

/**
 * The server library that a gateway uses here: `uWebSockets.js` or `node:http`. Rejects, with
 * advice, if a required library does not load. Tried in a separate process, because the library
 * takes megabytes and only gateways may load it.
 */
export async function serverEngine(choice: Config['SERVER_ENGINE']): Promise<string> {
  try {
    return await programOutput(process.execPath, [programPath('server-engine'), choice])
  } catch (error) {
    const words = new StderrTail()
    const said = (error as { stderr?: string }).stderr ?? ''
    for (const line of said.split('\n')) words.add(line)
    throw new CommandFailed(words.text || (error as Error).message, error)
  }
}

/** The text for a browser with full isolation. */
export const describeIsolation = ({ hasOwnNetwork }: Pick<Isolation, 'hasOwnNetwork'>): string =>
  `each browser has its own ${hasOwnNetwork ? 'namespaces, sandbox and network' : 'namespaces and sandbox'}`
