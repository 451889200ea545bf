/** The grants of the demo, each requested by one person and approved by others. */
import { dayMs } from '../../../../proto/units.ts'
import { reportFields } from '../../../access/report-visibility.ts'
import { CommandFailed } from '../../command.ts'
import { request, type DemoDecision } from './requests.ts'
import type { DemoSignIns } from './sign-ins.ts'
import { demoIntegration, grantNames, type FoundedDemo, type GrantName } from './state.ts'

/** A grant from which tokens are made must not last longer than one reviewer may allow. */
const grantDays = 28

interface DemoGrant extends DemoDecision {
  readonly body: (people: FoundedDemo['people']) => object
}

const read = (...areas: readonly string[]) => areas.map((area) => ({ area, actions: ['read'] }))
const files = { area: 'reports', actions: ['read', 'export'] }
const reportAreas = Object.keys(reportFields)

const plans: Readonly<Record<GrantName, DemoGrant>> = {
  // Personal data for a program: both a staff reviewer and the client's owner must approve.
  newsletter: {
    ...{ asker: 'ada', approvers: ['grace', 'mina'] },
    body: () => ({
      subject: { kind: 'integration', id: demoIntegration },
      permissions: [
        ...read('contacts', 'opportunities'),
        { area: 'tasks', actions: ['read', 'write'] },
      ],
      justification:
        'The newsletter tool reads contacts once an hour, and leaves tasks for people.',
    }),
  },
  // A member of the client who reads, and has reports as files: that takes two reviewers.
  shop: {
    ...{ asker: 'mina', approvers: ['grace', 'ada'] },
    body: ({ theo }) => ({
      path: 'portal',
      subject: { kind: 'person', id: theo.id },
      permissions: [
        ...read('tasks', 'projects', 'deployments', 'domains', 'monitoring'),
        // With these, Theo sees the reports that are made from them.
        ...read('seo-audits', 'content-gaps', 'opportunities'),
        files,
      ],
      justification: 'Theo runs the shop day by day and follows what is delivered to it.',
    }),
  },
  // Reports show sales, so the client's owner decides too.
  making: {
    ...{ asker: 'ada', approvers: ['grace', 'mina'] },
    body: ({ ada }) => ({
      path: 'reports',
      subject: { kind: 'person', id: ada.id },
      permissions: [...read(...reportAreas), files],
      justification: 'Ada makes the reports of each month from these records.',
    }),
  },
  publishing: {
    ...{ asker: 'grace', approvers: ['ada', 'mina'] },
    body: ({ grace }) => ({
      path: 'reports',
      subject: { kind: 'person', id: grace.id },
      permissions: [...read(...reportAreas), files],
      justification: 'Grace reads each report and publishes it; who makes one must not.',
    }),
  },
}

export async function completeGrants(signIns: DemoSignIns, demo: FoundedDemo): Promise<void> {
  for (const name of grantNames) {
    if (demo.grants[name]) continue
    const { body, ...decision } = plans[name]
    const { id, status, message } = await request(signIns, decision, {
      ...{ client_id: demo.client.id, scope_id: demo.scope.id, need_id: demo.need.id },
      ends_at: new Date(Date.now() + grantDays * dayMs).toISOString(),
      ...body(demo.people),
    })
    if (status !== 'fulfilled') throw new CommandFailed(`${id} is ${status}: ${message ?? ''}`)
  }
}

export const hasGrants = ({ grants }: FoundedDemo): boolean =>
  grantNames.every((name) => grants[name] !== undefined)
