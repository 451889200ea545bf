import type { DemoWorld, SampleRecord, SampleMaker } from '../world.ts'

const portland = (line1: string, postalCode: string) => ({
  line1,
  city: 'Portland',
  region: 'OR',
  postal_code: postalCode,
  country: 'US',
})

/** Fictitious customers of a bakery; their addresses and numbers are reserved for examples. */
export const demoContacts: SampleMaker = (world) => [
  ...wholesale(world),
  ...suppliers(world),
  ...households(world),
]

const wholesale = (world: DemoWorld): readonly SampleRecord[] => [
  {
    daysAgo: 210,
    fields: {
      first_name: 'Rosa',
      last_name: 'Delgado',
      email: 'rosa@hoteljuniper.example',
      phone: '+15035550141',
      company_name: 'Hotel Juniper',
      job_title: 'Food and beverage manager',
      address: portland('411 SW Alder St', '97205'),
      website: 'https://hoteljuniper.example',
      timezone: 'America/Los_Angeles',
      lifecycle_stage: 'customer',
      tags: ['wholesale', 'daily-delivery'],
      source: 'referral',
      owner_id: world.people.mina,
      consent: { basis: 'contract', at: world.at(-210) },
      custom_fields: { standing_order: '60 sourdough rolls', delivery_by: '05:45' },
      last_activity_at: world.at(-1, '15:20'),
    },
  },
  {
    daysAgo: 96,
    fields: {
      first_name: 'Tom',
      last_name: 'Okonkwo',
      email: 'tom@bridgetowncatering.example',
      phone: '+15035550117',
      company_name: 'Bridgetown Catering',
      job_title: 'Owner',
      address: portland('2203 NE Alberta St', '97211'),
      lifecycle_stage: 'opportunity',
      lead_status: 'tasting booked',
      tags: ['wholesale', 'events'],
      source: 'trade fair',
      owner_id: world.people.mina,
      last_activity_at: world.at(-3, '11:05'),
    },
  },
  {
    daysAgo: 41,
    fields: {
      first_name: 'Hannah',
      last_name: 'Lindqvist',
      email: 'hannah@maplestreetschool.example',
      company_name: 'Maple Street School',
      job_title: 'Kitchen lead',
      lifecycle_stage: 'sales_qualified',
      lead_status: 'waiting for a quote',
      tags: ['wholesale', 'nut-free'],
      source: 'web form',
      owner_id: world.people.theo,
      last_activity_at: world.at(-6, '08:40'),
    },
  },
]

const suppliers = (world: DemoWorld): readonly SampleRecord[] => [
  {
    daysAgo: 330,
    fields: {
      first_name: 'Gus',
      last_name: 'Marchetti',
      email: 'gus@millcreekflour.example',
      phone: '+15415550162',
      company_name: 'Mill Creek Flour',
      job_title: 'Sales',
      lifecycle_stage: 'other',
      tags: ['supplier'],
      source: 'imported',
      owner_id: world.people.mina,
    },
  },
]

const households = (world: DemoWorld): readonly SampleRecord[] => [
  {
    daysAgo: 150,
    fields: {
      first_name: 'Priya',
      last_name: 'Raman',
      email: 'priya.raman@mail.example',
      lifecycle_stage: 'evangelist',
      tags: ['subscription', 'rye'],
      source: 'online shop',
      consent: { basis: 'newsletter sign-up', at: world.at(-150, '19:12') },
      custom_fields: { favourite: 'caraway rye', orders: 31 },
      last_activity_at: world.at(-2, '07:55'),
    },
  },
  {
    daysAgo: 88,
    fields: {
      first_name: 'Ben',
      last_name: 'Achterberg',
      email: 'ben.a@mail.example',
      lifecycle_stage: 'customer',
      tags: ['subscription'],
      source: 'online shop',
      consent: { basis: 'newsletter sign-up', at: world.at(-88, '20:31') },
      last_activity_at: world.at(-9),
    },
  },
  {
    daysAgo: 12,
    fields: {
      first_name: 'Mei',
      last_name: 'Tanaka',
      email: 'mei.tanaka@mail.example',
      lifecycle_stage: 'lead',
      lead_status: 'left a cake order unfinished',
      tags: ['cakes'],
      source: 'online shop',
      last_activity_at: world.at(-12, '21:48'),
    },
  },
  {
    daysAgo: 260,
    fields: {
      first_name: 'Walter',
      last_name: 'Fitch',
      email: 'walter.fitch@mail.example',
      lifecycle_stage: 'subscriber',
      source: 'shop on Division St',
      do_not_contact: { email: true },
      tags: [],
    },
  },
]
