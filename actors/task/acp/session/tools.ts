/** Tools that only agents get, because they do not see the page with each request. */
import type { AgentTool } from '../../../../proto/task/agent-calls.ts'

/** Answered with the snapshot after the last action, so it is not a step. */
export const snapshotTool: AgentTool = {
  name: 'snapshot',
  description:
    'The page as it was after the last action: text, one line a thing, with refs (e12) to act on.',
  parameters: { type: 'object', properties: {} },
}
