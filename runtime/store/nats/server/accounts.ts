/**
 * The accounts of a nats-server that serves Troupe, in its configuration language: one for the
 * service, with a user per role, and one for watchers of the public steps of tasks.
 */
import { subjects } from '../../../../proto/subjects.ts'
import { actorsDeny, agentPermissions, gatewayPermissions } from './permissions.ts'

/** The credentials of a user: a password, or the public key of a seed. */
export type NatsLogin =
  { readonly user: string; readonly password: string } | { readonly nkey: string }

export interface AccountsPlan {
  /** For actor hosts and commands. */
  readonly actors: NatsLogin
  readonly gateway: NatsLogin
  /** By NODE_ID. */
  readonly nodeAgents: ReadonlyMap<string, NatsLogin>
  readonly watcher: NatsLogin
}

export function accountsConfig({ actors, gateway, nodeAgents, watcher }: AccountsPlan): string {
  const agents = [...nodeAgents].map(
    ([nodeId, login]) => `
      # The node agent of ${nodeId}: its lease, its own verbs, its reports.
      ${userConfig(login, agentPermissions(nodeId))}`,
  )
  return `accounts {
  SVC {
    jetstream: enabled
    users: [
      # Actor hosts and commands. They may append to the audit but not remove from it.
      ${userConfig(actors, { publish: { deny: actorsDeny } })}
      # Gateways: they ask actors and node agents, keep accounts and records, and read. They write
      # neither the audit nor histories, so a compromised one cannot hide its actions.
      ${userConfig(gateway, gatewayPermissions)}${agents.join('')}
    ]
    exports: [ { stream: "${subjects.publicTasks}" } ]
  }
  # A watcher of the public steps of tasks sees those and nothing else.
  PUB {
    users: [
      ${userConfig(watcher, { publish: { deny: '>' }, subscribe: { allow: 'tasks.>' } })}
    ]
    imports: [ { stream: { account: SVC, subject: "${subjects.publicTasks}" }, to: "tasks.>" } ]
  }
}
`
}

/** The service's account with one user that may restore its streams, which no role may. */
export function operatorConfig(login: NatsLogin): string {
  return `accounts {
  SVC {
    jetstream: enabled
    users: [ ${JSON.stringify(login)} ]
  }
}
`
}

/** A JSON object is also valid in nats-server's configuration language. */
function userConfig(login: NatsLogin, permissions: object): string {
  return JSON.stringify({ ...login, permissions })
}
