import type { SampleMaker } from '../world.ts'

const nameservers = ['ns1.dns.example', 'ns2.dns.example']

export const demoDomains: SampleMaker = (world) => [
  {
    daysAgo: 55,
    fields: {
      hostname: 'goldencrust.example',
      registrar: 'Example Registrar',
      status: 'active',
      verification: { method: 'dns', token: 'tv-5c1a90', verified_at: world.at(-54, '12:00') },
      nameservers,
      dns_records: [
        { type: 'A', name: '@', value: '192.0.2.17', ttl_s: 3_600 },
        { type: 'MX', name: '@', value: '10 mail.goldencrust.example', ttl_s: 3_600 },
      ],
      tls: { issuer: 'Example CA', not_after: world.at(61, '23:59') },
      expires_on: world.day(290),
      auto_renew: true,
    },
  },
  {
    daysAgo: 55,
    fields: {
      hostname: 'shop.goldencrust.example',
      status: 'active',
      nameservers,
      dns_records: [{ type: 'CNAME', name: 'shop', value: 'edge.shop.example', ttl_s: 300 }],
      tls: { issuer: 'Example CA', not_after: world.at(48, '23:59') },
      auto_renew: true,
    },
  },
  {
    daysAgo: 55,
    fields: {
      hostname: 'goldencrust-bakery.example',
      registrar: 'Example Registrar',
      status: 'expiring',
      nameservers,
      expires_on: world.day(24),
      auto_renew: false,
    },
  },
]
