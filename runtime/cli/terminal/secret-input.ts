/**
 * Reads a secret from a pipe or without echo from the terminal. Arguments would be visible to all
 * users.
 */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CommandFailed } from '../command.ts'

/** Reads several secrets in a row: from a pipe, one per line. Empty at the end. */
export function secretReader(): (prompt: string) => Promise<string> {
  let piped: Promise<string[]> | undefined
  return async (prompt) => {
    if (process.stdin.isTTY) return promptForSecret(prompt)
    piped ??= text(process.stdin).then((all) => all.split('\n'))
    return (await piped).shift()?.trim() ?? ''
  }
}

/** Empty if nothing was entered. */
export async function promptForSecret(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim()
  process.stderr.write(prompt)
  // The line editor still works, but its echo is discarded.
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: unseen, terminal: true })
  try {
    return (await lines.question('')).trim()
  } catch (cause) {
    // Ctrl-C or end of input.
    throw new CommandFailed('nothing was entered', cause)
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
