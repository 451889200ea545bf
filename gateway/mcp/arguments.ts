/** What a client sent, sorted: the session, and what is the tool's own. */
import { ServiceError } from '../../proto/errors.ts'
import type { Arguments, Tool } from './tool.ts'

/**
 * Values are the service's to judge, names are not: it leaves out what it does not know, and a model
 * that misspells an option should hear of it.
 */
export function sorted({ definition }: Tool, given: Readonly<Record<string, unknown>>): Arguments {
  const { name, inputSchema } = definition
  const known = Object.keys(inputSchema.properties)
  const odd = Object.keys(given).find((each) => !known.includes(each))
  if (odd !== undefined) {
    const takes = known.length > 0 ? known.join(', ') : 'nothing'
    throw new ServiceError('bad_request', `${name} does not know ${odd}. It takes: ${takes}.`)
  }
  const missing = inputSchema.required?.find((each) => given[each] === undefined)
  if (missing !== undefined) {
    throw new ServiceError('bad_request', `${name} needs ${missing}.`)
  }
  const { session, ...input } = given
  if (session !== undefined && typeof session !== 'string') {
    throw new ServiceError('bad_request', 'session must be the id of a session, a string.')
  }
  return { session, input }
}
