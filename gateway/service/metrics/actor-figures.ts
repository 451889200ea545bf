/**
 * Metrics that actor hosts report in their host records: actors, web tasks and the models they use.
 */
import type { Registry } from 'prom-client'
import type { HostRecord } from '../../../proto/host.ts'
import type { TaskCounts } from '../../../proto/host-counts.ts'
import { modelFailureKinds } from '../../../proto/task/model-failure.ts'
import { taskEnds } from '../../../proto/task/task.ts'
import { readCounter, readGauge, type FigureLabels } from './figures.ts'
import type { HostReports } from './host-reports.ts'

export function addActorFigures(registry: Registry, membership: HostReports): void {
  addActorHosts(registry, membership)
  addTasks(registry, membership)
  addModels(registry, membership)
}

function addActorHosts(registry: Registry, membership: HostReports): void {
  readGauge(
    registry,
    {
      name: 'troupe_actors',
      help: 'Actors (sessions, tasks and others) running in the actor hosts of a host.',
      labels: ['node'],
    },
    () => summed(membership, ({ actors }) => actors?.residents),
  )
  readCounter(
    registry,
    {
      name: 'troupe_actor_takeovers_total',
      help: 'Actors taken over from an actor host that died.',
      labels: ['node'],
    },
    () => summed(membership, ({ actors }) => actors?.takeovers),
  )
  readGauge(
    registry,
    {
      name: 'troupe_actors_failed',
      help: 'Actors given up because they cannot be loaded; `troupe doctor` says why.',
      labels: ['node'],
    },
    () => summed(membership, ({ actors }) => actors?.failed),
  )
}

function addTasks(registry: Registry, membership: HostReports): void {
  readCounter(
    registry,
    { name: 'troupe_task_steps_total', help: 'Steps of web tasks.', labels: ['node'] },
    () => summed(membership, ({ tasks }) => tasks?.steps),
  )
  readCounter(
    registry,
    {
      name: 'troupe_task_ends_total',
      help: 'Web tasks that ended, by reason; done: with a result.',
      labels: ['node', 'end'],
    },
    () => labelled(membership, 'end', taskEnds, ({ ends }, end) => ends[end] ?? 0),
  )
}

const tokenKinds = ['input', 'cached_input', 'output'] as const

function addModels(registry: Registry, membership: HostReports): void {
  readCounter(
    registry,
    {
      name: 'troupe_model_requests_total',
      help: 'Requests of web tasks to models, including unanswered ones.',
      labels: ['node'],
    },
    () => summed(membership, ({ tasks }) => tasks?.modelRequests),
  )
  readCounter(
    registry,
    {
      name: 'troupe_model_failures_total',
      help: 'Requests to models without a usable answer, by what went wrong.',
      labels: ['node', 'kind'],
    },
    () =>
      labelled(
        membership,
        'kind',
        modelFailureKinds,
        (tasks, kind) => tasks.modelFailures[kind] ?? 0,
      ),
  )
  readCounter(
    registry,
    {
      name: 'troupe_model_tokens_total',
      help:
        'Tokens of web tasks; cached_input: input tokens that the provider had cached, not ' +
        'counted in input.',
      labels: ['node', 'kind'],
    },
    () => labelled(membership, 'kind', tokenKinds, tokensOf),
  )
  readCounter(
    registry,
    {
      name: 'troupe_model_cost_usd_total',
      help: 'Cost of web tasks in US dollars, for models whose price is known.',
      labels: ['node'],
    },
    () => summed(membership, ({ tasks }) => tasks?.costUsd),
  )
}

function tokensOf({ tokens }: TaskCounts, kind: (typeof tokenKinds)[number]): number {
  switch (kind) {
    case 'input':
      return tokens.input - tokens.cached
    case 'cached_input':
      return tokens.cached
    case 'output':
      return tokens.output
  }
}

/** One value per host: the sum over all its processes that report it. */
function summed(membership: HostReports, valueOf: (host: HostRecord) => number | undefined) {
  const sums = new Map<string, number>()
  for (const host of membership.hosts()) {
    const value = host.state === 'dead' ? undefined : valueOf(host)
    if (value !== undefined) sums.set(host.nodeId, (sums.get(host.nodeId) ?? 0) + value)
  }
  return [...sums].map(([node, value]) => [{ node }, value] as const)
}

function labelled<Label extends string, V extends string>(
  membership: HostReports,
  label: Label,
  values: readonly V[],
  countOf: (tasks: TaskCounts, value: V) => number,
) {
  return values.flatMap((value) =>
    summed(membership, ({ tasks }) => tasks && countOf(tasks, value)).map(
      ([{ node }, count]) =>
        [{ node, [label]: value } as FigureLabels<'node' | Label>, count] as const,
    ),
  )
}
