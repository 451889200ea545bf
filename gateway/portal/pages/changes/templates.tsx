/** Standard changes: the fields that each template allows, and who approved it. */
import { areaRules } from '../../../../proto/access/areas.ts'
import {
  changeTemplates,
  isAskedFor,
  type ChangeTemplate,
} from '../../../../proto/access/change-templates.ts'
import { Facts, Section } from '../../html/parts.tsx'
import type { Shown } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { words } from '../../words/words.ts'
import { fieldsOfTemplate, type FieldSpec } from './form/spec.ts'
import { mayPropose } from './standing.ts'

export const showTemplates = (visit: Visit): Shown => ({
  title: 'Templates',
  lead: 'What is done often, has little risk and a known way back is approved once for all. They come with the service, and change with its releases.',
  up: { href: visit.at('/changes'), label: 'Changes' },
  body: (
    <>
      {changeTemplates.map((template) => (
        <Template visit={visit} of={template} />
      ))}
    </>
  ),
})

const Template = ({ visit, of }: { visit: Visit; of: ChangeTemplate }) => (
  <Section
    title={of.title}
    actions={
      isAskedFor(of) && mayPropose(visit) ? (
        <a href={visit.at(`/changes/new?template=${of.id}`)}>
          Ask for it<span class="hidden">: {of.title}</span>
        </a>
      ) : undefined
    }
  >
    <Facts
      of={[
        { term: 'What it is', is: of.about },
        {
          term: 'Writes',
          is: (
            <>
              {of.operation === 'create' ? 'A new record in' : 'A record in'}{' '}
              {areaRules[of.area].label}:
              <ul>
                {fieldsOfTemplate(of).map((spec) => (
                  <li>{fieldWord(spec)}</li>
                ))}
              </ul>
            </>
          ),
        },
        { term: 'Test plan', is: of.test_plan },
        { term: 'Way back', is: of.rollback_plan },
        { term: 'Approval', is: of.approval },
      ]}
    />
  </Section>
)

/** For example `Status: Paused or Unknown`. */
function fieldWord({ label, kind, ...spec }: FieldSpec): string {
  if (kind.type === 'choice') {
    const values = kind.values.map((one) =>
      one === 'true' ? 'Yes' : one === 'false' ? 'No' : words(one),
    )
    return `${label}: ${values.join(' or ')}`
  }
  return 'hint' in spec && spec.hint !== undefined ? `${label}. ${spec.hint}` : label
}
