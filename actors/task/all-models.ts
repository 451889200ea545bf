/** All models: those behind APIs, and command-line agents. */
import { isAgent } from '../../proto/credential.ts'
import type { Agents } from './acp/agents.ts'
import type { Model, ModelChoice, Models, ModelTask } from './model.ts'

export class AllModels implements Models {
  readonly #apis: Models
  readonly #agents: Agents

  constructor(apis: Models, agents: Agents) {
    this.#apis = apis
    this.#agents = agents
  }

  open(choice: ModelChoice): Promise<Model> {
    return (isAgent(choice.provider) ? this.#agents : this.#apis).open(choice)
  }

  attend(task: ModelTask, signal: AbortSignal): Promise<void> {
    return this.#agents.attend(task, signal)
  }
}
