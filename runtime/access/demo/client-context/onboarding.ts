import type { SampleMaker } from '../world.ts'

export const demoOnboarding: SampleMaker = (world) => [
  {
    daysAgo: 58,
    fields: {
      name: 'Golden Crust: online shop and marketing',
      template: 'retail',
      notes: 'Mina decides; Theo runs the shop day by day.',
      status: 'in_progress',
      progress: 0.5,
      target_go_live_on: world.day(20),
      steps: [
        {
          key: 'contract',
          title: 'Contract signed',
          owner: 'client',
          status: 'completed',
          due_on: world.day(-55),
          completed_at: world.at(-56, '16:00'),
        },
        {
          key: 'access',
          title: 'Access to shop and analytics reviewed',
          owner: 'provider',
          status: 'completed',
          due_on: world.day(-40),
          completed_at: world.at(-42, '10:30'),
        },
        {
          key: 'products',
          title: 'Product list with pictures and allergens',
          owner: 'client',
          status: 'in_progress',
          due_on: world.day(3),
        },
        { key: 'go-live', title: 'Go live', owner: 'provider', due_on: world.day(20) },
      ],
    },
  },
]
