// What administrators do. Each part says to others that it is not theirs.
import { Link, useParams } from '@tanstack/react-router';
import { useRef } from 'react';
import { AccessTokens } from '../../components/AccessTokens';
import { Heading } from '../../components/Heading';
import { useCurrentInView } from '../../components/in-view';
import { Empty } from '../../components/states';
import { Groups } from './Groups';
import { Message } from './Message';
import { Only } from './Only';
import { Policies } from './Policies';
import { Roles } from './Roles';
import { Users } from './Users';
import { Webhooks } from './Webhooks';

const kParts = [['users', 'Users'], ['groups', 'Groups'], ['roles', 'Roles'], ['tokens', 'Access tokens'], ['webhooks', 'Webhooks'], ['policies', 'Config policies'], ['message', 'Message']] as const;

function Part({ part }: { part: string }) {
  switch (part) {
    case 'users': return <Users />;
    case 'groups': return <Groups />;
    case 'roles': return <Roles />;
    case 'tokens': return <Only permission="ADMINISTRATE_TOKEN" what="look at other people's access tokens; yours are in the settings"><AccessTokens mayCreate={false} /></Only>;
    case 'webhooks': return <Webhooks />;
    case 'policies': return <Policies />;
    case 'message': return <Message />;
    default: return <Empty title="There is no such part of the administration">Choose one above.</Empty>;
  }
}

export function Admin() {
  const { part } = useParams({ from: '/admin/$part' });
  const bar = useRef<HTMLElement>(null);
  useCurrentInView(bar);
  return (
    <>
      <Heading title="Administration" />
      <nav className="tabs" ref={bar} aria-label="Parts of the administration">
        {kParts.map(([key, name]) => <Link key={key} to="/admin/$part" params={{ part: key }}>{name}</Link>)}
      </nav>
      <Part part={part} />
    </>
  );
}
