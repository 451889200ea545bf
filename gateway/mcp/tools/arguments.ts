/** Splits a tool call's arguments into the session and the tool's own input. */
import { ServiceError } from '../../../proto/errors.ts'
import { fitArguments } from '../../../proto/json/fit-arguments.ts'
import type { ToolArguments, McpTool } from './tool.ts'

/**
 * Checks names but not values, which the service validates; those that clients send as text, or as null,
 * are made what they mean. The service ignores unknown fields, and
 * a model that misspells an option should get an error.
 */
export function splitArguments(
  { definition }: McpTool,
  given: Readonly<Record<string, unknown>>,
): ToolArguments {
  const { name, inputSchema } = definition
  const known = Object.keys(inputSchema.properties)
  const odd = Object.keys(given).find((each) => !known.includes(each))
  if (odd !== undefined) {
    const takes = known.length > 0 ? known.join(', ') : 'nothing'
    throw new ServiceError(
      'bad_request',
      `${name} has no parameter ${odd}. Its parameters: ${takes}.`,
    )
  }
  const fit = fitArguments(given, inputSchema.properties, inputSchema.required)
  const missing = inputSchema.required?.find((each) => fit[each] === undefined)
  if (missing !== undefined) {
    throw new ServiceError('bad_request', `${name} requires ${missing}.`)
  }
  const { session, ...input } = fit
  if (session !== undefined && typeof session !== 'string') {
    throw new ServiceError('bad_request', 'session must be the id of a session, a string.')
  }
  return { session, input }
}
