/**
 * Elicitation: an agent's question to its user becomes the task's question, if a person may be
 * asked.
 */
import type { CreateElicitationRequest, CreateElicitationResponse } from '@agentclientprotocol/sdk'
import type { AgentCallOutcome } from '../../../../proto/task/agent-calls.ts'

/** Asks the person behind the task. */
export type AskPerson = (question: string, signal: AbortSignal) => Promise<AgentCallOutcome>

/** The person's answer is one text, so only forms with a single text field can be filled. */
export async function answerForm(
  request: CreateElicitationRequest,
  ask: AskPerson,
  signal: AbortSignal,
): Promise<CreateElicitationResponse> {
  const field = onlyTextField(request)
  if (field === undefined) return { action: 'decline' }
  const { text, isError } = await ask(request.message, signal)
  return isError ? { action: 'cancel' } : { action: 'accept', content: { [field]: text } }
}

function onlyTextField(request: CreateElicitationRequest): string | undefined {
  if (request.mode !== 'form') return undefined
  const { properties = {} } = (request as { requestedSchema?: { properties?: object } })
    .requestedSchema ?? { properties: {} }
  const fields = Object.entries(properties as Record<string, { type?: unknown }>)
  const [field] = fields
  return fields.length === 1 && field![1].type === 'string' ? field![0] : undefined
}
