import type { DemoWorld, SampleRecord, SampleMaker } from '../world.ts'

export const demoOpportunities: SampleMaker = (world) => [...open(world), ...lost(world)]

const open = (world: DemoWorld): readonly SampleRecord[] => [
  {
    daysAgo: 34,
    fields: {
      name: 'Hotel Juniper: pastries for the second restaurant',
      contact_id: world.id('contacts', 0),
      pipeline_id: 'wholesale',
      stage_id: 'proposal',
      status: 'open',
      amount: { value: 4_800_000, currency: 'USD' },
      probability: 70,
      expected_close_on: world.day(18),
      source: 'referral',
      owner_id: world.people.mina,
      tags: ['recurring'],
    },
  },
  {
    daysAgo: 20,
    fields: {
      name: 'Bridgetown Catering: wedding season',
      contact_id: world.id('contacts', 1),
      pipeline_id: 'wholesale',
      stage_id: 'tasting',
      status: 'open',
      amount: { value: 1_250_000, currency: 'USD' },
      probability: 45,
      expected_close_on: world.day(32),
      owner_id: world.people.mina,
      tags: ['seasonal'],
    },
  },
  {
    daysAgo: 15,
    fields: {
      name: 'Maple Street School: nut-free bread',
      contact_id: world.id('contacts', 2),
      pipeline_id: 'wholesale',
      stage_id: 'quote',
      status: 'open',
      amount: { value: 920_000, currency: 'USD' },
      probability: 30,
      expected_close_on: world.day(45),
      owner_id: world.people.theo,
    },
  },
]

const lost = (world: DemoWorld): readonly SampleRecord[] => [
  {
    daysAgo: 120,
    fields: {
      name: 'Riverside Gym: protein rolls',
      pipeline_id: 'wholesale',
      stage_id: 'closed',
      status: 'lost',
      amount: { value: 380_000, currency: 'USD' },
      probability: 0,
      expected_close_on: world.day(-70),
      lost_reason: 'They wanted delivery on Sundays, which we do not do.',
      last_status_change_at: `${world.day(-70)}T15:30:00.000Z`,
      owner_id: world.people.mina,
    },
  },
]
