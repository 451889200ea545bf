/**
 * Parses one call of a model as an act on the page; or refuses it with a reason that the model can
 * act on.
 */
import type { z } from 'zod'
import { aimOf } from '../../../proto/commands/target.ts'
import { limits } from '../../../proto/limits.ts'
import { clean, cut } from '../../../runtime/text/clean.ts'
import type { Act, Given } from '../thought.ts'
import { fitted, type Arguments } from './arguments.ts'
import { isObject } from './simple-schema.ts'
import type { PageTool } from './tools.ts'

/**
 * Whether the act is allowed, with its URLs and secrets, is checked in `safety/`. `shown` is what
 * the model has read of pages.
 */
export function actOf(tool: PageTool, given: Arguments, shown: string): Act | string {
  const { command, form, definition } = tool
  const { properties, required = [] } = definition.parameters
  const { note: _, ...rest } = given
  const odd = Object.keys(rest).find((name) => !Object.hasOwn(properties, name))
  if (odd !== undefined) {
    const takes = Object.keys(properties).filter((name) => name !== 'note')
    return `it does not know ${cut(clean(odd), limits.toolNameChars)}; it takes ${takes.join(', ') || 'nothing'}`
  }
  const fit = aimed(fitted(rest, properties))
  const missing = required.find((name) => fit[name] === undefined)
  if (missing !== undefined) return `it needs ${missing}`
  const parsed = command.input.safeParse({ ...form.besides?.(fit), ...fit })
  if (!parsed.success) return wrong(parsed.error)
  const input = parsed.data as Readonly<Record<string, unknown>>
  const element = elementOf(input, shown)
  return {
    tool: form.name,
    command: command.name,
    input,
    given: recorded(rest),
    ...(element !== undefined && { element }),
    repeat: command.repeat,
  }
}

const aims = ['target', 'from', 'to'] as const

/** `[e12]`, `ref=e12`, or the whole line `e12 button "Save"` all mean `e12`. */
const refInside = /^\[?(?:ref\s*[=:]?\s*)?(e\d+)\]?(?:\s.*)?$/s

function aimed(input: Arguments): Arguments {
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

function wrong(error: z.ZodError): string {
  const issues = error.issues.slice(0, 3).map(({ path, message }) => {
    return `${path.join('.')} ${message.charAt(0).toLowerCase()}${message.slice(1)}`.trim()
  })
  return cut(clean(issues.join('; ')), limits.givenChars)
}

/** The snapshot line of the act's target. */
function elementOf(input: Readonly<Record<string, unknown>>, page: string): string | undefined {
  const found = aims.flatMap((name) => {
    const aim = input[name]
    const line = typeof aim === 'string' ? lineOf(aim, page) : undefined
    return line === undefined ? [] : [cut(clean(line), limits.elementChars)]
  })
  return found.length === 0 ? undefined : found.join(' to ')
}

function lineOf(target: string, page: string): string | undefined {
  const aim = aimOf(target)
  if (aim.kind === 'css') return undefined
  const words = aim.kind === 'ref' ? `${aim.ref} ` : target
  for (let at = page.indexOf(words); at !== -1; at = page.indexOf(words, at + 1)) {
    if (at > 0 && /[\w"]/.test(page[at - 1]!)) continue
    const end = page.indexOf('\n', at)
    const line = page.slice(at, end === -1 ? undefined : end)
    return aim.kind === 'ref' ? firstThing(line) : line
  }
  return undefined
}

/** A line may contain several elements, each with a ref; quoted names may contain anything. */
const firstThing = (line: string) =>
  /^(?:"[^"]*"|[^"])+?(?= (?:\| )?e\d+ [a-z]|$)/.exec(line)?.[0] ?? line

/** Shortened for records, in the form in which it was given. */
export function recorded(given: Arguments): Given {
  let left: number = limits.recordedChars
  const short = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.slice(0, limits.recordedFields).map(short)
    if (typeof value !== 'string' && !isObject(value)) return value
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const kept = cut(text, Math.min(limits.givenChars, left))
    left = Math.max(0, left - kept.length)
    return kept
  }
  const fields = Object.entries(given).filter(([name]) => name !== 'note')
  return Object.fromEntries(
    fields.slice(0, limits.recordedFields).map(([name, value]) => {
      return [cut(clean(name), limits.toolNameChars), short(value)]
    }),
  )
}
