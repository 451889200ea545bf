/** Prints what a command answered: a diff or a text, and for what is long or no text the path of a file. */
import { writeFileSync } from 'node:fs'
import { effectText, outputText } from '../../../../proto/commands/output-text.ts'
import { CommandFailed } from '../../command.ts'
import { cliLimits } from '../../limits.ts'
import { writeOutput } from '../folder-session.ts'
import type { CommandAnswer } from '../service.ts'
import type { ShellVerb } from './verbs.ts'

export interface Answered {
  readonly name: string
  readonly verb: ShellVerb
  readonly session: string
  readonly output: CommandAnswer
  /** Where the caller wants the file of a verb that saves one. */
  readonly path: string | undefined
  readonly isJson: boolean
}

/** The text for stdout. */
export function printedText(answered: Answered): string {
  const { verb, session, output, isJson, name } = answered
  const saved = savedFile(answered)
  const { image: _image, pdf: _pdf, ...rest } = output
  if (isJson) {
    const shown = verb.saves === 'output' && saved ? {} : rest
    return JSON.stringify({ session, ...shown, ...(saved && { file: saved }) })
  }
  if (saved !== undefined) return `${saved}${cutNote(output)}`
  if (verb.prints === 'body' && output['base64'] === true) {
    return writeOutput(session, name, 'bin', Buffer.from(String(output['body']), 'base64'))
  }
  return shortened(session, name, textOfOutput(verb, output))
}

/** Of an act, the effect alone: where the page is another one, that says its address. */
function textOfOutput({ prints, saves, command }: ShellVerb, output: CommandAnswer): string {
  if (saves === 'output') return JSON.stringify(output, null, 2)
  const value = prints && output[prints]
  if (prints === undefined) {
    const isAct = 'changes' in output && command !== 'navigate'
    return isAct ? effectText(output as Parameters<typeof effectText>[0]) : outputText(output)
  }
  return typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2)
}

/** Undefined if the verb saves no file, or prints because none was named. */
function savedFile({ name, verb, session, output, path }: Answered): string | undefined {
  if (verb.saves === undefined) return undefined
  if (verb.saves === 'output') {
    if (path !== undefined) save(path, `${JSON.stringify(output, null, 2)}\n`)
    return path
  }
  const bytes = Buffer.from(String(output[verb.saves]), 'base64')
  if (path === undefined) return writeOutput(session, name, extensionOf(verb, output), bytes)
  save(path, bytes)
  return path
}

const extensionOf = ({ saves }: ShellVerb, { type }: CommandAnswer) =>
  saves === 'pdf' ? 'pdf' : String(type).replace('image/', '').replace('jpeg', 'jpg')

/** Only its owner may read it: it may hold logins, or the page of somebody who is logged in. */
export function save(path: string, data: string | Buffer): void {
  try {
    writeFileSync(path, data, { mode: 0o600 })
  } catch (error) {
    throw new CommandFailed(`${path} cannot be written: ${(error as Error).message}`, error)
  }
}

function cutNote({ cut_from: whole }: CommandAnswer): string {
  if (whole === undefined) return ''
  const { width, height } = whole as { readonly width: number; readonly height: number }
  return `\nIt is cut off: the whole is ${width}×${height} px.`
}

/** Programs of agents cut long outputs themselves, and then the rest is lost. */
function shortened(session: string, name: string, text: string): string {
  if (text.length <= cliLimits.browserPrintedChars) return text
  const path = writeOutput(session, name, 'txt', text)
  const begin = text.slice(0, cliLimits.browserBeginChars)
  const end = begin.lastIndexOf('\n')
  const shown = end > 0 ? begin.slice(0, end) : begin
  return `${shown}\n… ${text.length - shown.length} more characters; all of it: ${path}`
}
