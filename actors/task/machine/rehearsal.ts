/** A simulated beginning of a task for the host's rehearsal. */
import { taskBody, type TaskInput } from '../../../proto/task/task.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { taskMachine } from './machine.ts'

const { timeout_seconds, max_steps } = taskBody.parse({ prompt: 'rehearsal' })
const sessionId = 'ses_rehearsal'
const turn = { sessionId, nodeId: 'host', browserId: 'brw_rehearsal', epoch: 1 } as const
const url = 'https://rehearsal.example/'

export const taskRehearsal: Rehearsal<TaskInput, OutcomeOf<typeof taskMachine>> = {
  input: {
    id: 'tsk_rehearsal',
    tenant: 'rehearsal',
    keyId: 'key_rehearsal',
    keyName: 'rehearsal',
    createdAtMs: 0,
    order: {
      prompt: 'rehearsal',
      opensUrl: true,
      provider: 'openai',
      maxSteps: max_steps,
      humanIntervention: false,
      confirm: [],
      secretNames: [],
      sessionId,
      keepsSession: true,
      vision: 'never',
      timeoutMs: timeout_seconds * 1_000,
      allowsPrivateNetwork: false,
      finalCheck: false,
    },
  },
  events: [
    { type: 'entered', turn },
    { type: 'prepared', turn, firstUrl: url },
    {
      type: 'observed',
      page: { url, title: 'Rehearsal', fingerprint: 'r', visual: false, ms: 1 },
      turn,
    },
    { type: 'cancel' },
    { type: 'left' },
  ],
}
