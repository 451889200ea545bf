/** A yes-or-no question at the terminal. */
import { createInterface } from 'node:readline/promises'
import { CommandFailed } from '../command.ts'

/** Returns true only for a clear yes; false for everything else, and if there is no terminal. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new CommandFailed('there is no terminal to ask on; use --yes if you are sure')
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } catch (cause) {
    // Ctrl-C or end of input.
    throw new CommandFailed('it was not confirmed, so nothing has changed', cause)
  } finally {
    lines.close()
  }
}
