/** What an agent has beyond a model's tools: it is not shown the page with each question. */
import type { AgentTool } from '../../../proto/agent-calls.ts'

/** Answered with what was read after the last action, so it is no step of its own. */
export const snapshotTool: AgentTool = {
  name: 'snapshot',
  description:
    'The page as it was after the last action: text, one line a thing, with refs (e12) to act on.',
  parameters: { type: 'object', properties: {} },
}
