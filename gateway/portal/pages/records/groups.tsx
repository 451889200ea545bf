/** The four groups of areas, with those that the person can open now. */
import {
  areaGroups,
  areaRules,
  type AreaGroup,
  type AreaKey,
} from '../../../../proto/access/areas/areas.ts'
import type { Visit } from '../../visit.ts'
import { dayWord } from '../../../html/times.ts'
import { plural } from '../../../html/plural.ts'

/** With `isTop`, the groups have second-level headings. */
export const AreaGroups = ({ visit, isTop }: { visit: Visit; isTop?: boolean }) => (
  <div class="groups">
    {(Object.keys(areaGroups) as AreaGroup[]).map((group) => (
      <div class="group">
        {isTop ? <h2>{areaGroups[group].label}</h2> : <h3>{areaGroups[group].label}</h3>}
        <ul>
          {areaGroups[group].areas.map((area) => (
            <li>
              <AreaLine visit={visit} area={area} />
            </li>
          ))}
        </ul>
      </div>
    ))}
  </div>
)

const AreaLine = ({ visit, area }: { visit: Visit; area: AreaKey }) => {
  const { label } = areaRules[area]
  const held = visit.held(area, 'read')
  const [longest] = held
  if (!longest) {
    return (
      <>
        <span class="off">{label}</span> <span class="quiet">no access</span>
      </>
    )
  }
  return (
    <>
      <a href={visit.at(`/records/${area}`)}>{label}</a>{' '}
      <span class="quiet">
        {held.length > 1 ? `${plural(held.length, 'grant')}, ` : ''}
        until {dayWord(longest.grant.endsAtMs, visit.zone)}
      </span>
    </>
  )
}
