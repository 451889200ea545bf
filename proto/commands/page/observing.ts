/** Commands for what a page writes to its console and asks of the network. */
import { z } from 'zod'
import { defineCommand } from '../command.ts'
import { commandLimits } from '../limits.ts'

const line = z.object({
  at: z.string(),
  level: z.string(),
  text: z.string(),
  source: z
    .string()
    .optional()
    .describe('URL, line and column of the script that wrote it, from 1.')
    .meta({ examples: ['https://shop.example/app.js:12:5'] }),
})

export const consoleLinesCommand = defineCommand({
  name: 'console',
  help: 'List what the page has written to its console since the first call of this command.',
  input: z.object({}),
  output: z.object({ lines: z.array(line) }),
  transport: 'page',
  repeat: 'safe',
})

const request = z.object({
  id: z.string().describe('For response_body.'),
  method: z.string(),
  url: z.string(),
  status: z.number().int().optional(),
  type: z.string(),
  error: z.string().optional(),
})

export const networkRequestsCommand = defineCommand({
  name: 'network',
  help: 'List the network requests of the page since the first call of this command.',
  input: z.object({
    bodies: z
      .boolean()
      .default(false)
      .describe('From now on, keep the bodies of answers for response_body.'),
  }),
  output: z.object({ requests: z.array(request) }),
  transport: 'page',
  repeat: 'safe',
})

export const responseBodyCommand = defineCommand({
  name: 'response_body',
  help: 'Get the body of an answer that the page got after network was called with bodies.',
  input: z.object({
    id: z.string().min(1).max(commandLimits.requestIdChars).describe('Of a request of network.'),
  }),
  output: z.object({
    url: z.string(),
    status: z.number().int().optional(),
    type: z
      .string()
      .describe('MIME type.')
      .meta({ examples: ['application/json'] }),
    body: z.string(),
    base64: z.boolean().describe('true: the body is bytes, in base64.'),
  }),
  transport: 'page',
  repeat: 'safe',
})
