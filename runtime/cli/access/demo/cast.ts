/** The people of the demo. The domain `.example` is reserved, so their addresses belong to no one. */

export const demoCast = {
  ada: { email: 'ada@troupe.example', name: 'Ada Holm', is: 'staff: requests and carries out' },
  grace: { email: 'grace@troupe.example', name: 'Grace Ito', is: 'staff: reviews' },
  mina: { email: 'mina@goldencrust.example', name: 'Mina Okafor', is: 'owner of the client' },
  theo: { email: 'theo@goldencrust.example', name: 'Theo Brandt', is: 'member of the client' },
} as const
export type DemoPerson = keyof typeof demoCast
export const demoPeople: readonly DemoPerson[] = ['ada', 'grace', 'mina', 'theo']
