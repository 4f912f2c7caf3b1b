// The dashboard: which screen an address means, and who may see any of them.

import { effect, untracked } from "@preact/signals";
import { render, type JSX } from "preact";
import { forgetFleet, refreshFleet } from "./base/fleet";
import { match, path, type Route } from "./base/router";
import { isOrganisation, token } from "./base/session";
import { Frame, Head } from "./parts/frame";
import "./parts/keys";
import { Palette } from "./parts/palette";
import { ApplicationScreen, Applications } from "./screens/applications";
import { DeadLetters } from "./screens/dead_letters";
import { AllDeliveries, Deliveries } from "./screens/deliveries";
import { DeliveryScreen } from "./screens/delivery";
import { EndpointScreen } from "./screens/endpoint";
import { EventTypes } from "./screens/event_types";
import { MessageScreen } from "./screens/message";
import { Overview } from "./screens/overview";
import { PolicyScreen } from "./screens/policy";
import { Replays, ReplayScreen } from "./screens/replays";
import { SignIn } from "./screens/sign_in";
import { More, SystemScreen } from "./screens/system";

const ROUTES: Route[] = [
  { pattern: "/", screen: () => <Overview /> },
  { pattern: "/app", screen: () => <Applications /> },
  { pattern: "/app/:app", screen: ({ app }) => <ApplicationScreen key={app} app={app!} /> },
  { pattern: "/app/:app/deliveries", screen: ({ app }) => <Deliveries key={app} app={app!} /> },
  { pattern: "/app/:app/endpoint/:endpoint", screen: ({ app, endpoint }) => <EndpointScreen key={endpoint} app={app!} endpoint={endpoint!} /> },
  { pattern: "/app/:app/endpoint/:endpoint/policy", screen: ({ app, endpoint }) => <PolicyScreen key={endpoint} app={app!} endpoint={endpoint!} /> },
  { pattern: "/app/:app/message/:message", screen: ({ app, message }) => <MessageScreen key={message} app={app!} message={message!} /> },
  { pattern: "/app/:app/delivery/:message/:endpoint", screen: ({ app, message, endpoint }) => <DeliveryScreen key={`${message} ${endpoint}`} app={app!} message={message!} endpoint={endpoint!} /> },
  { pattern: "/deliveries", screen: () => <AllDeliveries /> },
  { pattern: "/dead-letters", screen: () => <DeadLetters /> },
  { pattern: "/replays", screen: () => <Replays /> },
  { pattern: "/replays/:task", screen: ({ task }) => <ReplayScreen key={task} task={task!} /> },
  { pattern: "/event-types", screen: () => <EventTypes /> },
  { pattern: "/more", screen: () => <More /> },
  { pattern: "/system", screen: () => (isOrganisation() ? <SystemScreen /> : <Nowhere />) },
];

function Nowhere(): JSX.Element {
  return <><Head crumbs={[{ label: "Nothing here" }]} /><h1>There is no such page.</h1></>;
}

function App(): JSX.Element {
  if (token.value === null) return <SignIn />;
  const found = match(ROUTES, path.value);
  return <><Frame>{found ? found[0].screen(found[1]) : <Nowhere />}</Frame><Palette /></>;
}

effect(() => {
  const isIn = token.value !== null;
  // Only the token starts it over, not what it reads on its way.
  untracked(isIn ? refreshFleet : forgetFleet);
});

render(<App />, document.getElementById("root")!);
