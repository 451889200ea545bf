/** One call of a model, read as one thing to do on the page; or refused, in words it can act on. */
import type { z } from 'zod'
import { aimOf } from '../../../proto/commands/target.ts'
import { limits } from '../../../proto/limits.ts'
import { clean, cut } from '../../../runtime/text/clean.ts'
import type { Act, Given, Observation } from '../thought.ts'
import { fitted, type Arguments } from './arguments.ts'
import { isObject } from './simple-schema.ts'
import type { PageTool } from './tools.ts'

export interface Known {
  readonly observation: Pick<Observation, 'text'>
  readonly secretNames: readonly string[]
}

export function actOf(tool: PageTool, given: Arguments, known: Known): Act | string {
  const { command, form, definition } = tool
  const { properties, required } = definition.parameters
  const { note: _, ...rest } = given
  const odd = Object.keys(rest).find((name) => !Object.hasOwn(properties, name))
  if (odd !== undefined) {
    const takes = Object.keys(properties).filter((name) => name !== 'note')
    return `it does not know ${cut(clean(odd), 40)}; it takes ${takes.join(', ') || 'nothing'}`
  }
  const fit = aimed(fitted(rest, properties))
  const missing = required.find((name) => fit[name] === undefined)
  if (missing !== undefined) return `it needs ${missing}`
  const parsed = command.input.safeParse({ ...form.besides?.(fit), ...fit })
  if (!parsed.success) return wrong(parsed.error)
  const input = parsed.data as Readonly<Record<string, unknown>>
  const why = secretFault(command.name, input, known.secretNames) ?? addressFault(input)
  if (why !== undefined) return why
  const element = elementOf(input, known.observation.text)
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

/** `[e12]`, `ref=e12`, or the whole line `e12 button "Save"`: all are meant as `e12`. */
const refInside = /^\[?(?:ref\s*[=:]?\s*)?(e\d+)\]?(?:\s.*)?$/s

function aimed(input: Arguments): Arguments {
  const refs = aims.flatMap((name) => {
    const aim = input[name]
    const ref = typeof aim === 'string' ? refInside.exec(aim.trim())?.[1] : undefined
    return ref === undefined ? [] : [[name, ref] as const]
  })
  return { ...input, ...Object.fromEntries(refs) }
}

function wrong(error: z.ZodError): string {
  const issues = error.issues.slice(0, 3).map(({ path, message }) => {
    return `${path.join('.')} ${message.charAt(0).toLowerCase()}${message.slice(1)}`.trim()
  })
  return cut(clean(issues.join('; ')), limits.givenChars)
}

const secretMark = /<\s*\/?\s*secret\b/i
const secretName = /<secret>([^<>]*)<\/secret>/g

/** A secret goes into fields that are typed in, and nowhere else: not into an address above all. */
function secretFault(
  command: string,
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | undefined {
  for (const [field, value] of Object.entries(input)) {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    if (!secretMark.test(decoded(text))) continue
    if (command !== 'type' || field !== 'text') {
      return `a secret can only be typed, in text of type, not given as ${field}`
    }
    const asked = [...text.matchAll(secretName)].map(([, name]) => name!.trim())
    const unknown = asked.find((name) => !names.includes(name))
    if (unknown !== undefined || asked.length === 0) {
      const known = names.length > 0 ? `there are: ${names.join(', ')}` : 'this task has none'
      return `there is no such secret; ${known}`
    }
  }
  return undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // No address then: it is taken as it stands.
    return text
  }
}

/** Beyond the web there are files of the host, scripts and pages of the browser itself. */
function addressFault({ url }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof url !== 'string' || url === 'about:blank') return undefined
  const [, scheme] = /^\s*([a-z][a-z0-9+.-]*):(?!\d+(?:[/?#]|$))/i.exec(url) ?? []
  if (scheme === undefined || /^https?$/i.test(scheme)) return undefined
  return 'only http and https addresses can be opened'
}

/** The line of the page that says what the act is aimed at. */
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
    // Several things stand in one line; the next begins with its ref.
    return aim.kind === 'ref' ? line.replace(/(?<=.) (?:\| )?e\d+ [a-z].*$/s, '') : line
  }
  return undefined
}

/** For records: short, and still of the form in which it was given. */
export function recorded(given: Arguments): Given {
  const short = (value: unknown): unknown => {
    if (typeof value === 'string') return cut(value, limits.givenChars)
    if (Array.isArray(value)) return value.slice(0, limits.answerCalls).map(short)
    return isObject(value) ? cut(JSON.stringify(value), limits.givenChars) : value
  }
  const entries = Object.entries(given).filter(([name]) => name !== 'note')
  return Object.fromEntries(
    entries.slice(0, limits.answerCalls).map(([name, value]) => [cut(name, 40), short(value)]),
  )
}
