/** Commands for what keeps a browser logged in. */
import { z } from 'zod'
import { storageStateSchema } from '../../session/storage-state.ts'
import { defineCommand } from '../command.ts'
import { commandLimits } from '../limits.ts'

export const storageStateCommand = defineCommand({
  name: 'storage_state',
  help: 'Get cookies and local storage, in the format of Playwright’s storageState.',
  input: z.object({
    indexed_db: z.boolean().default(false).describe('Include IndexedDB.'),
  }),
  output: storageStateSchema.extend({
    omitted: z
      .array(z.string())
      .describe('What IndexedDB has that no file can hold, such as keys that never leave it.'),
  }),
  transport: 'page',
  repeat: 'safe',
  rest: { method: 'GET', path: '/storage-state', answer: 'data' },
})

export const setStorageStateCommand = defineCommand({
  name: 'set_storage_state',
  help: 'Replace cookies, local storage and IndexedDB by those of a storageState of Playwright.',
  input: storageStateSchema,
  output: z.object({ status: z.literal('success') }),
  transport: 'page',
  repeat: 'safe',
  secretInput: true,
  rest: {
    method: 'PUT',
    path: '/storage-state',
    answer: 'data',
    bodyBytes: commandLimits.commandBodyBytes,
  },
})
