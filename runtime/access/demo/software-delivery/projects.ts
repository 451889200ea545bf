import type { SampleMaker } from '../world.ts'

export const demoProjects: SampleMaker = (world) => [
  {
    daysAgo: 55,
    fields: {
      name: 'Online shop',
      code: 'SHOP',
      description: 'Orders, subscriptions and pick-up times for all six shops.',
      status: 'active',
      health: 'on_track',
      lead_id: world.people.grace,
      start_on: world.day(-55),
      target_on: world.day(20),
      milestones: [
        { title: 'Subscriptions can be paused', due_on: world.day(-12), done: true },
        { title: 'Holiday boxes', due_on: world.day(6) },
        { title: 'Wholesale orders', due_on: world.day(20) },
      ],
      repository_url: 'https://code.troupe.example/golden-crust/shop',
    },
  },
  {
    daysAgo: 25,
    fields: {
      name: 'Till integration',
      code: 'TILL',
      description: 'Stock of the tills and of the online shop in step.',
      status: 'on_hold',
      health: 'at_risk',
      lead_id: world.people.ada,
      start_on: world.day(-25),
      target_on: world.day(60),
    },
  },
]
