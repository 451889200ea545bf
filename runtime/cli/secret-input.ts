/** A secret from whoever runs a command: a pipe, or typed in unseen. Arguments are seen by all. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CommandFailed } from './command.ts'

/** Several secrets in a row: of a pipe, each is a line. Empty when there is none any more. */
export function secretReader(): (prompt: string) => Promise<string> {
  let piped: Promise<string[]> | undefined
  return async (prompt) => {
    if (process.stdin.isTTY) return readSecret(prompt)
    piped ??= text(process.stdin).then((all) => all.split('\n'))
    return (await piped).shift()?.trim() ?? ''
  }
}

/** Empty when nothing was given. */
export async function readSecret(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim()
  process.stderr.write(prompt)
  // The line editor works, and what it echoes goes nowhere.
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: unseen, terminal: true })
  try {
    return (await lines.question('')).trim()
  } catch (cause) {
    // Ctrl-C, or the end of the input.
    throw new CommandFailed('nothing was given', cause)
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
