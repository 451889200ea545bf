/** What pages ask a person for. Nobody is asked: without a grant, all of it is refused at once. */
import { z } from 'zod'
import { originSchema } from '../../session/domain.ts'
import { permissionNames } from '../../session/setup/browser-setup.ts'
import { defineCommand, type ToolForm } from '../command.ts'

const accept = z.boolean().default(true).describe('false: refuse.')

export const handlePermissionCommand = defineCommand({
  name: 'handle_permission',
  help: 'Grant or refuse what pages ask for, such as geolocation or camera, until the session ends.',
  input: z.object({
    permission: z.enum(permissionNames),
    accept,
    origin: originSchema.optional().describe('Default: that of the page in the selected tab.'),
  }),
  output: z.object({
    permission: z.enum(permissionNames),
    origin: z.string().meta({ examples: ['https://maps.example'] }),
    setting: z.enum(['granted', 'denied']),
    note: z.string().describe('What the page has to do now.'),
  }),
  transport: 'page',
  repeat: 'safe',
})

/**
 * For MCP clients that request it, because it is rarely needed. Tasks do not have it: what a task may do
 * is decided by who gives it, with the permissions of its session.
 */
export const permissionTool = {
  name: 'handle_permission',
  title: 'Grant a permission',
  modelHelp:
    'Pages get no geolocation, notifications, camera, microphone, clipboard-read unless granted here; ' +
    'then let the page ask again.',
  readOnly: false,
  input: z.object({ permission: z.string(), accept }),
} satisfies ToolForm
