/** Command-line agents that tasks may use on this host, and how they start; set by the operator. */
import { z } from 'zod'
import { jsonText, knownFields } from '../lib/schemas/json-text.ts'
import { setting } from './setting.ts'
import { anyText, listText } from './value-texts.ts'

/** How to start a program; absent fields keep their built-in values. */
const agentCommand = knownFields({
  command: z.string().optional(),
  args: z.array(z.string()).readonly().optional(),
  /** May contain a credential. */
  env: z.record(z.string(), z.string(), 'must be an object').readonly().optional(),
})
export type AgentCommand = Readonly<z.output<typeof agentCommand>>

export const agentSettings = {
  ACP_AGENTS: setting(
    listText(anyText),
    [],
    'Command-line agents that tasks may use, such as claude,codex; none unless named. They run on this host, with their owner’s login.',
  ),
  ACP_COMMANDS: setting(
    jsonText(
      z.record(z.string(), agentCommand).readonly(),
      '{"mine":{"command":"/opt/mine","args":["acp"],"env":{}}}',
    ),
    {},
    'How to start agents that are unknown or start differently: {"name":{"command":"…","args":["…"],"env":{}}}.',
    { shown: '', secret: 'always' },
  ),
} as const
