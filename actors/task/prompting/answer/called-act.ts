/**
 * Parses one call of a model as an act on the page; or refuses it with a reason that the model can
 * act on.
 */
import { defined } from '../../../../proto/defined.ts'
import type { z } from 'zod'
import { parseTarget } from '../../../../proto/commands/target.ts'
import { cleanText, truncateText } from '../../../../runtime/lib/text/clean.ts'
import type { Act, RecordedInput } from '../decision.ts'
import { fitArguments } from '../../../../proto/json/fit-arguments.ts'
import type { ToolInput } from './arguments.ts'
import { isPlainObject } from '../simple-schema.ts'
import type { PageTool } from '../tools.ts'
import { taskRunLimits } from '../../limits.ts'

/**
 * Whether the act is allowed, with its URLs and secrets, is checked in `safety/`. `shown` is what
 * the model has read of pages.
 */
export function parseAct(tool: PageTool, given: ToolInput, shown: string): Act | string {
  const { command, form, definition } = tool
  const { properties, required = [] } = definition.parameters
  const { note: _, ...rest } = given
  const odd = Object.keys(rest).find((name) => !Object.hasOwn(properties, name))
  if (odd !== undefined) {
    const takes = Object.keys(properties).filter((name) => name !== 'note')
    return `it does not know ${truncateText(cleanText(odd), taskRunLimits.toolNameChars)}; it takes ${takes.join(', ') || 'nothing'}`
  }
  const fit = withPlainRefs(fitArguments(rest, properties))
  const missing = required.find((name) => fit[name] === undefined)
  if (missing !== undefined) return `it needs ${missing}`
  const parsed = command.input.safeParse({ ...form.extraInput?.(fit), ...fit })
  if (!parsed.success) return toIssueText(parsed.error)
  const input = parsed.data as Readonly<Record<string, unknown>>
  const element = elementOf(input, shown)
  return {
    tool: form.name,
    command: command.name,
    input,
    given: toRecordedInput(rest),
    ...defined({ element }),
    repeat: command.repeat,
  }
}

const aims = ['target', 'from', 'to'] as const

/** `[e12]`, `ref=e12`, or the whole line `e12 button "Save"` all mean `e12`. */
const refInside = /^\[?(?:ref\s*[=:]?\s*)?(e\d+)\]?(?:\s.*)?$/s

function withPlainRefs(input: ToolInput): ToolInput {
  const refs = aims.flatMap((name) => {
    const aim = input[name]
    const ref = typeof aim === 'string' ? refInside.exec(aim.trim())?.[1] : undefined
    return ref === undefined ? [] : [[name, ref] as const]
  })
  const { tab } = input
  // The mark of the selected tab is not part of its id.
  const id = typeof tab === 'string' && { tab: tab.replace(/^\*/, '') }
  return { ...input, ...Object.fromEntries(refs), ...id }
}

function toIssueText(error: z.ZodError): string {
  const issues = error.issues.slice(0, 3).map(({ path, message }) => {
    return `${path.join('.')} ${message.charAt(0).toLowerCase()}${message.slice(1)}`.trim()
  })
  return truncateText(cleanText(issues.join('; ')), taskRunLimits.givenChars)
}

/** The snapshot line of the act's target. */
function elementOf(input: Readonly<Record<string, unknown>>, page: string): string | undefined {
  const found = aims.flatMap((name) => {
    const aim = input[name]
    const line = typeof aim === 'string' ? lineOf(aim, page) : undefined
    return line === undefined ? [] : [truncateText(cleanText(line), taskRunLimits.elementChars)]
  })
  return found.length === 0 ? undefined : found.join(' to ')
}

function lineOf(target: string, page: string): string | undefined {
  const aim = parseTarget(target)
  if (aim.kind === 'css') return undefined
  const words = aim.kind === 'ref' ? `${aim.ref} ` : target
  for (let at = page.indexOf(words); at !== -1; at = page.indexOf(words, at + 1)) {
    if (at > 0 && /[\w"]/.test(page[at - 1]!)) continue
    const end = page.indexOf('\n', at)
    const line = page.slice(at, end === -1 ? undefined : end)
    return aim.kind === 'ref' ? firstElement(line) : line
  }
  return undefined
}

/** A line may contain several elements, each with a ref; quoted names may contain anything. */
const firstElement = (line: string) =>
  /^(?:"[^"]*"|[^"])+?(?= (?:\| )?e\d+ [a-z]|$)/.exec(line)?.[0] ?? line

/** Shortened for records, in the form in which it was given. */
export function toRecordedInput(given: ToolInput): RecordedInput {
  let left: number = taskRunLimits.recordedChars
  const short = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.slice(0, taskRunLimits.recordedFields).map(short)
    if (typeof value !== 'string' && !isPlainObject(value)) return value
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const kept = truncateText(text, Math.min(taskRunLimits.givenChars, left))
    left = Math.max(0, left - kept.length)
    return kept
  }
  const fields = Object.entries(given).filter(([name]) => name !== 'note')
  return Object.fromEntries(
    fields.slice(0, taskRunLimits.recordedFields).map(([name, value]) => {
      return [truncateText(cleanText(name), taskRunLimits.toolNameChars), short(value)]
    }),
  )
}
