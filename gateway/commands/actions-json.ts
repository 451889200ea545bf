/** A list of commands sent in one request, and the outcome of each. */
import { z } from 'zod'
import { commandCatalogue, type CommandCall } from '../../proto/commands/catalogue.ts'
import type { Reply } from '../../proto/envelope.ts'
import { fromWireError } from '../../proto/errors.ts'
import { errorBody } from '../routing/answers/reply.ts'

const commandsPerBatch = 100

const [first, ...others] = commandCatalogue.map(({ name, input, help }) =>
  z.object({
    command: z.literal(name).describe(help),
    // It may be left out where the command needs none of its fields.
    input: input.safeParse({}).success ? z.prefault(input, {}) : input,
  }),
)

export const actionsBody = z.object({
  actions: z
    .array(z.discriminatedUnion('command', [first!, ...others]))
    .min(1)
    .max(commandsPerBatch),
}) as z.ZodType<{ actions: readonly CommandCall[] }>

const failed = z.object({
  command: z.string(),
  status: z.literal('failed'),
  error: z.looseObject({ code: z.number().int(), type: z.string(), message: z.string() }),
})

/** A command's output, with bytes encoded as base64. */
export const outputJson = z
  .record(z.string(), z.unknown())
  .transform((output) =>
    Object.fromEntries(
      Object.entries(output).map(([field, value]) => [
        field,
        value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
      ]),
    ),
  )
  .describe('Output of the command; binary data is base64-encoded.')

const succeeded = z.object({
  command: z.string(),
  status: z.literal('success'),
  output: outputJson,
})

export const actionsJson = z.object({
  data: z.object({
    status: z.enum(['success', 'failed']),
    results: z
      .array(z.union([succeeded, failed]))
      .describe('One result for each command that was started.'),
  }),
})

export function actionsData(actions: readonly CommandCall[], replies: readonly Reply[]) {
  const results = replies.map((reply, i) => {
    const { command } = actions[i]!
    if (reply.ok)
      return { command, status: 'success' as const, output: outputJson.parse(reply.value) }
    return { command, status: 'failed' as const, error: errorBody(fromWireError(reply.error)) }
  })
  const status = replies.every(({ ok }) => ok) ? ('success' as const) : ('failed' as const)
  return { status, results }
}
