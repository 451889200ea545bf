import type { DemoWorld, SampleRecord, SampleMaker } from '../world.ts'

export const demoTasks: SampleMaker = (world) => [...open(world), ...settled(world)]

const open = (world: DemoWorld): readonly SampleRecord[] => [
  {
    daysAgo: 4,
    fields: {
      title: 'Send Maple Street School the list of allergens',
      body: 'They need it for every loaf, with the date of the last change.',
      status: 'in_progress',
      priority: 'high',
      due_at: world.at(2, '17:00'),
      assignee_id: world.people.theo,
      related: world.ref('contacts', 2),
      checklist: [
        { title: 'Sourdough and rolls', done: true },
        { title: 'Rye', done: true },
        { title: 'Cakes', done: false },
      ],
    },
  },
  {
    daysAgo: 6,
    fields: {
      title: 'Write the landing page for holiday boxes',
      status: 'not_started',
      priority: 'high',
      due_at: world.at(6, '12:00'),
      assignee_id: world.people.ada,
      related: world.ref('content-gaps', 1),
    },
  },
  {
    daysAgo: 9,
    fields: {
      title: 'Compress the pictures of the product pages',
      body: 'From the last audit: they are most of what a phone loads.',
      status: 'waiting',
      priority: 'medium',
      due_at: world.at(4, '12:00'),
      assignee_id: world.people.grace,
      related: world.ref('seo-audits', 0),
    },
  },
]

/** Completed, or deferred. */
const settled = (world: DemoWorld): readonly SampleRecord[] => [
  {
    daysAgo: 16,
    fields: {
      title: 'Ask Hotel Juniper for their opening hours in the new year',
      status: 'completed',
      priority: 'low',
      due_at: world.at(-8, '12:00'),
      assignee_id: world.people.mina,
      related: world.ref('opportunities', 0),
      completed_at: world.at(-9, '14:10'),
    },
  },
  {
    daysAgo: 11,
    fields: {
      title: 'Renew the certificate of the old shop',
      status: 'deferred',
      priority: 'low',
      assignee_id: world.people.grace,
      related: world.ref('domains', 2),
    },
  },
]
