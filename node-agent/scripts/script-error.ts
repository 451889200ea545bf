/** Errors of a script, with the lines of the caller's code. */
import { ServiceError, type ErrorDetails } from '../../proto/errors.ts'
import { defined } from '../../proto/defined.ts'
import type { CdpResult } from '../cdp/protocol.ts'
import { scriptLimits } from './limits.ts'

/** The name of the caller's code in stacks. */
export const scriptName = 'script.js'
/** The text before the caller's code in its first line. */
export const scriptPrefix = '('

type ScriptException = NonNullable<CdpResult<'Runtime.evaluate'>['exceptionDetails']>

interface ScriptPlace {
  readonly line: number
  readonly column: number
}

const framePattern = new RegExp(`${scriptName.replace('.', '\\.')}:(\\d+):(\\d+)`, 'g')

function placeOf(line: number, column: number): ScriptPlace {
  const before = line === 1 ? scriptPrefix.length : 0
  return { line, column: Math.max(1, column - before) }
}

/** The stack lines of the caller's code, without those of Puppeteer, as `at inner (3:5)`. */
function framesOf(stack: string): { readonly text: string; readonly place: ScriptPlace }[] {
  return stack.split('\n').flatMap((line) => {
    const [match] = line.matchAll(framePattern)
    if (!match) return []
    const place = placeOf(Number(match[1]), Number(match[2]))
    const name = /^\s*at (?:async )?([^\s(]+) \(/.exec(line)?.[1]
    const at = `${place.line}:${place.column}`
    return [{ text: name === undefined ? `at ${at}` : `at ${name} (${at})`, place }]
  })
}

export function thrownError(error: string, stack: string, logs: readonly string[]): ServiceError {
  const frames = framesOf(stack)
  const where = frames[0] && ` at line ${frames[0].place.line}`
  return failure(`The script failed${where ?? ''}: ${error}`, logs, {
    ...defined({ line: frames[0]?.place.line, column: frames[0]?.place.column }),
    ...(frames.length > 0 && { stack: frames.map(({ text }) => text) }),
  })
}

/** The error of code that does not compile, or fails before it evaluates to a function. */
export function codeError(
  { exception, text, lineNumber, columnNumber }: ScriptException,
  logs: readonly string[],
): ServiceError {
  const described = exception?.description ?? (String(exception?.value ?? '') || text)
  const { line, column } = placeOf(lineNumber + 1, columnNumber + 1)
  const [first] = described.split('\n')
  return failure(`The script failed at line ${line}: ${first}`, logs, { line, column })
}

export function failure(
  message: string,
  logs: readonly string[],
  details: ErrorDetails = {},
): ServiceError {
  const all = { ...details, ...(logs.length > 0 && { logs }) }
  return new ServiceError('script_failed', message.slice(0, scriptLimits.scriptErrorChars), all)
}
