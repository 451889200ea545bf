/** A yes or a no of the person at the terminal. */
import { createInterface } from 'node:readline/promises'
import { CommandFailed } from './command.ts'

/** No is what counts unless it is a clear yes. Without a terminal there is nobody to ask. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new CommandFailed('there is no terminal to ask on; give --yes if you are sure')
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } catch (cause) {
    // Ctrl-C, or the end of the input.
    throw new CommandFailed('nothing was decided', cause)
  } finally {
    lines.close()
  }
}
