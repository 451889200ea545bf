/** What an operation of the document says of an answer to it. */
import type { Operation } from './document.ts'
import { misfit } from './validity.ts'

export interface HeardAnswer {
  readonly status: number
  readonly contentType: string | undefined
  readonly text: string
}

/** Refusals that any path can give, whatever its operation is: a method that it has not. */
const anywhere = [405]

/** Everything in which an answer differs from what is declared. */
export function contradictions(operation: Operation, heard: HeardAnswer): readonly string[] {
  const { status, contentType, text } = heard
  // An internal error is never an answer, even though `default` describes its shape.
  if (status === 500) return [`${status} ${text.slice(0, 300)}`]
  const declared = operation.responses[status]
  if (!declared && status < 500 && !anywhere.includes(status)) {
    return [`status ${status} is not declared: ${text.slice(0, 200)}`]
  }
  const content = (declared ?? operation.responses['default'])?.content
  if (!content) return text === '' ? [] : [`${status} has a body: ${text.slice(0, 100)}`]
  const type = contentType?.split(';')[0] ?? 'none'
  const known = Object.keys(content).find((one) => one.split(';')[0] === type)
  const media = known === undefined ? undefined : content[known]
  if (!media) return [`${status} has the type ${type}, not ${Object.keys(content).join(', ')}`]
  if (!media.schema || !/[/+]json$/.test(type)) return []
  const body = parsed(text)
  if (body === undefined) return [`the body of ${status} is no JSON: ${text.slice(0, 100)}`]
  const wrong = misfit(media.schema, body)
  return wrong === undefined ? [] : [`the body of ${status}: ${wrong} in ${text.slice(0, 300)}`]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined // JSON has no undefined, so that this says it.
  }
}

/** Refused because it is not understood, rather than because of how things are. */
export const isMalformed = ({ status, text }: HeardAnswer): boolean =>
  [400, 415].includes(status) || (status === 422 && text.includes('"validation_failed"'))

export const isSuccess = ({ status }: HeardAnswer): boolean => status >= 200 && status < 300
