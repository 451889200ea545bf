/**
 * Tools that create, list and end sessions, for callers that need more than their default session.
 */
import { z } from 'zod'
import { jsonSchema } from '../../../proto/commands/schema.ts'
import { outputText } from '../../../proto/commands/output-text.ts'
import { limits } from '../../../proto/limits.ts'
import { inputSchema, outputSchema } from './schema.ts'
import { toolAnnotations, type McpTool } from './tool.ts'

const ours = { open: false }

const createInput = z.object({
  headful: z.boolean().default(false).describe('With a desktop, for os_ tools.'),
  url: z.string().max(limits.urlBytes).optional(),
})

const create: McpTool = {
  definition: {
    name: 'session_create',
    title: 'New session',
    description:
      'Open another browser, to pass to other tools as session. A person can watch and help at ' +
      'live_view_url.',
    annotations: toolAnnotations({ ...ours, reads: false, destroys: false, safe: false }),
    inputSchema: jsonSchema(createInput, 'input'),
    outputSchema: outputSchema(z.object({ live_view_url: z.string(), cdp_url: z.string() })),
  },
  async run({ input }, { service }) {
    const { headful, url } = createInput.parse(input)
    const { id, cdp_url, live_view_url } = await service.create({ headful, url, tags: [] })
    const structured = { session: id, live_view_url, cdp_url }
    return { text: outputText(structured), structured }
  },
}

const row = z.object({ session: z.string(), headful: z.boolean(), created_at: z.string() })

const list: McpTool = {
  definition: {
    name: 'session_list',
    title: 'List sessions',
    description: 'List running sessions, newest first.',
    annotations: toolAnnotations({ ...ours, reads: true, destroys: false, safe: true }),
    inputSchema: jsonSchema(z.object({}), 'input'),
    outputSchema: jsonSchema(z.object({ sessions: z.array(row) }), 'output'),
  },
  async run(_, { service }) {
    const sessions = (await service.running()).map(({ id, headless, created_at }) => ({
      session: id,
      headful: !headless,
      created_at,
    }))
    return { text: outputText({ sessions }), structured: { sessions } }
  },
}

const end: McpTool = {
  definition: {
    name: 'session_end',
    title: 'End a session',
    description: 'End a session and its browser; its contents are lost.',
    annotations: toolAnnotations({ ...ours, reads: false, destroys: true, safe: true }),
    inputSchema: { ...inputSchema(z.object({})), required: ['session'] },
    outputSchema: outputSchema(z.object({})),
  },
  async run({ session }, { service }) {
    await service.end(session!)
    return { text: `Session ${session} has ended.`, structured: { session } }
  },
}

export const sessionTools: readonly McpTool[] = [create, list, end]
