/** All models: those behind APIs, and command-line agents. */
import { isAgentProvider } from '../../proto/accounts/credential.ts'
import type { AcpAgents } from './acp/agents.ts'
import type { TaskModel, ModelChoice, TaskModels, ModelTask } from './models/model.ts'

export class AllModels implements TaskModels {
  readonly #apis: TaskModels
  readonly #agents: AcpAgents

  constructor(apis: TaskModels, agents: AcpAgents) {
    this.#apis = apis
    this.#agents = agents
  }

  open(choice: ModelChoice): Promise<TaskModel> {
    return (isAgentProvider(choice.provider) ? this.#agents : this.#apis).open(choice)
  }

  attend(task: ModelTask, signal: AbortSignal): Promise<void> {
    return this.#agents.attend(task, signal)
  }
}
